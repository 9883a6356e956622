import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who has just changed something, for lists that lag. The previous release reads and writes nothing there. */
export class RecentWrite1795915347854 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE portal.recent_write (
         asker text CONSTRAINT recent_write_pkey PRIMARY KEY,
         until timestamptz NOT NULL
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE portal.recent_write');
  }
}
