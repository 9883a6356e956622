import { ensureDailyPartitions, partitionFunctions, partitionSignatures } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Journal1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...entries, ...deadLetters, ...batches, ...statistics, ...retention]) {
      await runner.query(statement);
    }
    await ensureDailyPartitions(runner, 'journal.entry');
  }

  async down(runner: QueryRunner): Promise<void> {
    const functions = [forgetBefore, forgetReceipts, ...partitionSignatures('journal.entry')];
    await runner.query(`DROP FUNCTION ${functions.join(', ')}`);
    await runner.query(
      `DROP TABLE journal.statistic_mark, journal.statistic, journal.batch_item, journal.batch, journal.dead_letter,
         journal.entry`,
    );
  }
}

/** What happened to each receipt, stage by stage. */
const entries = [
  `CREATE TABLE journal.entry (
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
   ) PARTITION BY RANGE (at)`,
  'CREATE INDEX ON journal.entry (receipt_id)',
  // The live stream reads the last seconds. Entries arrive in order of time, which costs a btree next to nothing at its
  // right end. A BRIN index would be read whole until a vacuum has summarized it (350 ms for 1.2 million entries).
  'CREATE INDEX entry_by_time ON journal.entry (at)',
  `CREATE INDEX entry_received ON journal.entry (project_id, receipt_id DESC) WHERE stage = 'received'`,
  // Most receipts end as `routed`: the others are few, and are what people look for.
  `CREATE INDEX entry_ended ON journal.entry (project_id, outcome, receipt_id DESC)
     WHERE terminal AND outcome <> 'routed'`,
  'CREATE TABLE journal.entry_default PARTITION OF journal.entry DEFAULT',
];

/** Dead letters, kept until somebody redrives them. */
const deadLetters = [
  `CREATE TABLE journal.dead_letter (
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
     redrive_error text,
     outcome text,
     drives integer NOT NULL DEFAULT 0,
     next_at timestamptz
   )`,
  `CREATE UNIQUE INDEX dead_letter_open ON journal.dead_letter (receipt_id, stage, coalesce(subject_id, ''))
     WHERE state = 'open'`,
  'CREATE INDEX dead_letter_by_project ON journal.dead_letter (project_id, id)',
  `CREATE INDEX dead_letter_due ON journal.dead_letter (next_at) WHERE state = 'redriving'`,
  'CREATE INDEX ON journal.dead_letter USING brin (at)',
];

/** Requests for many events at once. The service that starts one stores its caller's key itself, with the request. */
const batches = [
  `CREATE TABLE journal.batch (
     id text PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     kind text NOT NULL,
     deliver boolean NOT NULL,
     created_by text NOT NULL,
     created_at timestamptz NOT NULL
   )`,
  `CREATE TABLE journal.batch_item (
     batch_id text NOT NULL REFERENCES journal.batch (id) ON DELETE CASCADE,
     subject_id text NOT NULL,
     state text NOT NULL,
     error text,
     lease_until timestamptz,
     PRIMARY KEY (batch_id, subject_id)
   )`,
  `CREATE INDEX batch_item_unfinished ON journal.batch_item (batch_id, subject_id)
     WHERE state IN ('waiting', 'running')`,
];

/** Counts by minute: charts over time read these instead of the journal. */
const statistics = [
  `CREATE TABLE journal.statistic (
     organization_id text NOT NULL,
     project_id text NOT NULL,
     app_id text NOT NULL,
     minute timestamptz NOT NULL,
     counts jsonb NOT NULL,
     PRIMARY KEY (project_id, minute, app_id)
   )`,
  'CREATE INDEX statistic_by_time ON journal.statistic (minute)',
  // One row: up to when the journal was counted.
  'CREATE TABLE journal.statistic_mark (counted_to timestamptz NOT NULL)',
  'INSERT INTO journal.statistic_mark VALUES (now())',
];

const forgetBefore = 'journal.forget_before(timestamptz)';
const forgetReceipts = 'journal.forget_receipts(text, text[], timestamptz)';
const asOwner = 'LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp';

/** Services write the journal but do not own it: its retention runs in functions owned by the role that migrates. */
const retention = [
  ...partitionFunctions('journal.entry', 'at'),
  `CREATE FUNCTION journal.forget_before(before timestamptz) RETURNS void ${asOwner} AS $$
   BEGIN
     IF before > now() - interval '1 day' THEN
       RAISE EXCEPTION 'what is younger than a day stays in the journal';
     END IF;
     DELETE FROM journal.dead_letter WHERE at < before;
     DELETE FROM journal.batch WHERE created_at < before;
   END $$`,
  `REVOKE ALL ON FUNCTION ${forgetBefore} FROM PUBLIC`,
  // A project may have a shorter retention than the installation: the entries of its old receipts are deleted with
  // them.
  `CREATE FUNCTION journal.forget_receipts(project text, receipts text[], before timestamptz) RETURNS void
   ${asOwner} AS $$
   BEGIN
     -- Retention is whole days; a minute is for the time between the question and this.
     IF before > now() - interval '23 hours 59 minutes' THEN
       RAISE EXCEPTION 'what is younger than a day stays in the journal';
     END IF;
     DELETE FROM journal.dead_letter WHERE receipt_id = ANY(receipts) AND project_id = project AND at < before;
     DELETE FROM journal.entry WHERE receipt_id = ANY(receipts) AND project_id = project AND at < before;
   END $$`,
  `REVOKE ALL ON FUNCTION ${forgetReceipts} FROM PUBLIC`,
];
