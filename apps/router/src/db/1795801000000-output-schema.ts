import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A workflow may declare what its runs give. The previous release does not read the column. */
export class OutputSchema1795801000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.workflow ADD COLUMN output_schema jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.workflow DROP COLUMN output_schema');
  }
}
