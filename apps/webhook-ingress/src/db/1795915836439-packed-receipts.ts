import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The view's columns, of which only the size of a body is found in another way than before. */
const viewWith = (bytes: string): string => `
  CREATE OR REPLACE VIEW journal.receipt AS
  SELECT id AS receipt_id, received_at AS at, organization_id, project_id, app_id, 'webhook-ingress' AS service,
         'received' AS stage, outcome, false AS terminal, reason, NULL::text AS subject_id, 1 AS attempt,
         NULL::double precision AS duration_ms,
         jsonb_build_object('bytes', ${bytes}, 'scheme', verified_scheme, 'from', remote_address) AS detail
    FROM ingress.receipt`;

/**
 * A receipt may be packed: `body` then has its URL, its headers and its body, compressed. The release before writes none
 * that is, and packs none.
 */
export class PackedReceipts1795915836439 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The size of the body as it came; null: it is not packed. An erasure empties the body of a packed one, too.
    await runner.query('ALTER TABLE ingress.receipt ADD COLUMN packed_bytes integer');
    await runner.query(viewWith(`CASE WHEN body = '' THEN 0 ELSE coalesce(packed_bytes, octet_length(body)) END`));
  }

  async down(runner: QueryRunner): Promise<void> {
    const packed = (await runner.query(
      'SELECT 1 FROM ingress.receipt WHERE packed_bytes IS NOT NULL LIMIT 1',
    )) as unknown[];
    if (packed.length > 0) throw new Error('Receipts are packed, which the release before cannot read.');
    await runner.query(viewWith('octet_length(body)'));
    await runner.query('ALTER TABLE ingress.receipt DROP COLUMN packed_bytes');
  }
}
