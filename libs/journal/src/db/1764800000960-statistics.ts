import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts by minute: what pictures over time are made of, without reading the journal of that time. */
export class Statistics1764800000960 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE journal.statistic (
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        minute timestamptz NOT NULL,
        counts jsonb NOT NULL,
        PRIMARY KEY (project_id, minute, app_id)
      )`);
    await runner.query('CREATE INDEX statistic_by_time ON journal.statistic (minute)');
    // One row: up to when the journal was counted. What an installation has before it is counted too.
    await runner.query('CREATE TABLE journal.statistic_mark (counted_to timestamptz NOT NULL)');
    await runner.query(
      'INSERT INTO journal.statistic_mark SELECT coalesce((SELECT min(at) FROM journal.entry), now())',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal.statistic_mark, journal.statistic');
  }
}
