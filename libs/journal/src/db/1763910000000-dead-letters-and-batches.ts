import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeadLettersAndBatches1763910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The live stream reads the last seconds. Entries come in the order of time, which a btree takes at its right end for
    // next to nothing; a BRIN would be read whole until a vacuum has summarized it (350 ms for 1.2 million entries).
    await runner.query('CREATE INDEX entry_by_time ON journal.entry (at)');
    await runner.query(
      `CREATE INDEX entry_received ON journal.entry (project_id, receipt_id DESC) WHERE stage = 'received'`,
    );
    // Most receipts end as routed: the others are what people look for, and few.
    await runner.query(`
      CREATE INDEX entry_ended ON journal.entry (project_id, outcome, receipt_id DESC) WHERE terminal AND outcome <> 'routed'`);
    await runner.query(`
      CREATE TABLE journal.dead_letter (
        id text PRIMARY KEY,
        at timestamptz NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        receipt_id text NOT NULL,
        stage text NOT NULL,
        subject_id text,
        reason text,
        error text,
        state text NOT NULL,
        redriven_at timestamptz,
        redriven_by text,
        outcome text,
        drives integer NOT NULL DEFAULT 0,
        next_at timestamptz
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX dead_letter_open ON journal.dead_letter (receipt_id, stage, coalesce(subject_id, ''))
       WHERE state = 'open'`);
    await runner.query('CREATE INDEX dead_letter_by_project ON journal.dead_letter (project_id, id)');
    await runner.query(`CREATE INDEX dead_letter_due ON journal.dead_letter (next_at) WHERE state = 'redriving'`);
    await runner.query('CREATE INDEX ON journal.dead_letter USING brin (at)');
    await runner.query(`
      CREATE TABLE journal.batch (
        id text PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        kind text NOT NULL,
        deliver boolean NOT NULL,
        idempotency_key text,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL,
        UNIQUE (project_id, idempotency_key)
      )`);
    await runner.query(`
      CREATE TABLE journal.batch_item (
        batch_id text NOT NULL REFERENCES journal.batch (id) ON DELETE CASCADE,
        subject_id text NOT NULL,
        state text NOT NULL,
        error text,
        lease_until timestamptz,
        PRIMARY KEY (batch_id, subject_id)
      )`);
    await runner.query(`
      CREATE INDEX batch_item_unfinished ON journal.batch_item (batch_id, subject_id) WHERE state IN ('waiting', 'running')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal.batch_item, journal.batch, journal.dead_letter');
    await runner.query('DROP INDEX journal.entry_ended, journal.entry_received, journal.entry_by_time');
  }
}
