import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const columns = `receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal, reason, subject_id,
  attempt, duration_ms, detail`;

/**
 * The entry of a delivery that arrived lies in its row. A process of the release before does not see it: it shows the reply
 * as one on its way, and offers it again, which is recognised. Timelines find deliveries by their receipt, lists by time.
 */
export class DeliveryEntry1795927532162 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed, so each statement may run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.delivery ADD COLUMN IF NOT EXISTS entry json');
    await runner.query(`
      CREATE OR REPLACE VIEW journal.delivery_entry AS
      SELECT receipt_id, ended_at AS at, organization_id, project_id, app_id, 'adapter-gateway'::text AS service,
             'delivery'::text AS stage, 'delivered'::text AS outcome, false AS terminal, NULL::text AS reason, id AS subject_id,
             coalesce((entry ->> 'attempt')::integer, 1) AS attempt, (entry ->> 'ms')::double precision AS duration_ms,
             (entry -> 'detail')::jsonb AS detail
        FROM gateway.delivery WHERE entry IS NOT NULL`);
    await buildLargeIndex(runner, {
      name: 'gateway.delivery_by_receipt',
      on: 'gateway.delivery (receipt_id) WHERE entry IS NOT NULL',
    });
    await buildLargeIndex(runner, {
      name: 'gateway.delivery_arrived',
      on: 'gateway.delivery (ended_at) WHERE entry IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    // At once: an entry that is in both would be shown twice.
    await runner.query(`INSERT INTO journal.entry (${columns}) SELECT ${columns} FROM journal.delivery_entry;
      DROP VIEW journal.delivery_entry; ALTER TABLE gateway.delivery DROP COLUMN entry`);
    await dropLargeIndex(runner, 'gateway.delivery_arrived');
    await dropLargeIndex(runner, 'gateway.delivery_by_receipt');
  }
}
