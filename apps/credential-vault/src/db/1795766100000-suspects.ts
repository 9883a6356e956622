import { addSuspectColumns, dropSuspectColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['vault.notification', 'vault.revocation'];

/** The columns of work tell suspects. Rows of the vault have no owner, so none is one. */
export class Suspects1795766100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) {
      await runner.query(addSuspectColumns(table));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(dropSuspectColumns(table));
  }
}
