import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const columns = `receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal, reason, subject_id,
  attempt, duration_ms, detail`;

/**
 * The entry of a turn that succeeded lies in its row. A process of the release before does not see it: it shows the turn as
 * one in progress. The index is for lists of entries by time, and has what the one before it had.
 */
export class TurnEntry1795927532028 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed, so each statement may run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.turn ADD COLUMN IF NOT EXISTS entry json');
    await runner.query(`
      CREATE OR REPLACE VIEW journal.turn_entry AS
      SELECT receipt_id, ended_at AS at, organization_id, project_id, app_id, 'engine'::text AS service, 'turn'::text AS stage,
             'succeeded'::text AS outcome, false AS terminal, reason, id AS subject_id,
             coalesce((entry ->> 'attempt')::integer, 1) AS attempt, (entry ->> 'ms')::double precision AS duration_ms,
             jsonb_build_object('reply', reply, 'steps', steps, 'tokens', tokens)
               || CASE WHEN answer_id IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('delivery_id', answer_id) END
               || coalesce((entry -> 'detail')::jsonb, '{}'::jsonb) AS detail
        FROM engine.turn WHERE entry IS NOT NULL`);
    await buildLargeIndex(runner, {
      name: 'engine.turn_ended',
      on: 'engine.turn (ended_at) WHERE ended_at IS NOT NULL',
    });
    await dropLargeIndex(runner, 'engine.turn_sent');
  }

  async down(runner: QueryRunner): Promise<void> {
    const on = 'engine.turn (ended_at) WHERE answer_id IS NOT NULL OR notice_id IS NOT NULL';
    await buildLargeIndex(runner, { name: 'engine.turn_sent', on });
    await dropLargeIndex(runner, 'engine.turn_ended');
    // At once: an entry that is in both would be shown twice.
    await runner.query(`INSERT INTO journal.entry (${columns}) SELECT ${columns} FROM journal.turn_entry;
      DROP VIEW journal.turn_entry; ALTER TABLE engine.turn DROP COLUMN entry`);
  }
}
