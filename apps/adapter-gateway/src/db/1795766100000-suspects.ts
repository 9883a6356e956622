import { addSuspectColumns, dropSuspectColumns, openSuspect } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['gateway.delivery', 'gateway.inbound_wait', 'gateway.sync_run'];

/** Rows of work whose process died while it worked on them are tried alone. */
export class Suspects1795766100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) {
      await runner.query(addSuspectColumns(table));
      const name = `${table.split('.').at(-1)}_suspect`;
      await runner.query(`CREATE INDEX ${name} ON ${table} (due_at) WHERE ${openSuspect}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    // The indexes go with their column.
    for (const table of tables) await runner.query(dropSuspectColumns(table));
  }
}
