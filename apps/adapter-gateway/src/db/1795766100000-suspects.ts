import { buildLargeIndex } from '#libs/database';
import { addSuspectColumns, dropSuspectColumns, openSuspect } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['gateway.delivery', 'gateway.inbound_wait', 'gateway.sync_run'];

/** Rows of work whose process died while it worked on them are tried alone. */
export class Suspects1795766100000 implements MigrationInterface {
  /** Its tables stay open for writes while they are indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) {
      await runner.query(addSuspectColumns(table));
      await buildLargeIndex(runner, { name: `${table}_suspect`, on: `${table} (due_at) WHERE ${openSuspect}` });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    // The indexes go with their column.
    for (const table of tables) await runner.query(dropSuspectColumns(table));
  }
}
