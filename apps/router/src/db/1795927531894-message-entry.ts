import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const columns = `receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal, reason, subject_id,
  attempt, duration_ms, detail`;

/**
 * The entry of a routed message lies in its row. A process of the release before does not see it: it shows the event as one
 * that has not ended, and hands over again what has been, which is recognised. The index is for lists of entries by time.
 */
export class MessageEntry1795927531894 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed, so each statement may run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.message ADD COLUMN IF NOT EXISTS entry json');
    await runner.query(`
      CREATE OR REPLACE VIEW journal.message_entry AS
      SELECT receipt_id, routed_at AS at, organization_id, project_id, app_id, 'router'::text AS service, 'routed'::text AS stage,
             'routed'::text AS outcome, true AS terminal, reason, id AS subject_id,
             coalesce((entry ->> 'attempt')::integer, 1) AS attempt, (entry ->> 'ms')::double precision AS duration_ms,
             jsonb_build_object('event_type', message -> 'event_type', 'verdicts', '[]'::jsonb, 'messages', 1)
               || CASE WHEN message #> '{metadata,erased}' IS NULL
                    THEN jsonb_build_object('sender', left(message ->> 'sender', 200)) ELSE '{}'::jsonb END
               || coalesce((entry -> 'detail')::jsonb, '{}'::jsonb) AS detail
        FROM router.message WHERE entry IS NOT NULL`);
    await buildLargeIndex(runner, { name: 'router.message_routed', on: 'router.message (routed_at)' });
    await dropLargeIndex(runner, 'router.message_handed');
  }

  async down(runner: QueryRunner): Promise<void> {
    const on = "router.message (routed_at) WHERE turns <> '[]'";
    await buildLargeIndex(runner, { name: 'router.message_handed', on });
    await dropLargeIndex(runner, 'router.message_routed');
    // At once: an entry that is in both would be shown twice.
    await runner.query(`INSERT INTO journal.entry (${columns}) SELECT ${columns} FROM journal.message_entry;
      DROP VIEW journal.message_entry; ALTER TABLE router.message DROP COLUMN entry`);
  }
}
