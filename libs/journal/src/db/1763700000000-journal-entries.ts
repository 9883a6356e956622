import type { MigrationInterface, QueryRunner } from 'typeorm';

export class JournalEntries1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE journal.entry (
        receipt_id text NOT NULL,
        at timestamptz NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        service text NOT NULL,
        stage text NOT NULL,
        outcome text NOT NULL,
        terminal boolean NOT NULL,
        reason text,
        subject_id text,
        attempt integer NOT NULL,
        duration_ms double precision,
        detail jsonb
      ) PARTITION BY RANGE (at)`);
    await runner.query('CREATE INDEX ON journal.entry (receipt_id)');
    await runner.query('CREATE TABLE journal.entry_default PARTITION OF journal.entry DEFAULT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal.entry');
  }
}
