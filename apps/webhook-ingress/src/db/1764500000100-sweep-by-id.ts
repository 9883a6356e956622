import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The sweep's mark is an id. By time it was looked for in a BRIN index, which covers no page that autovacuum has not come
 * to: every sweep read all receipts since then.
 */
export class SweepById1764500000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE ingress.sweep ALTER swept_to TYPE text
      USING 'evt_' || lpad(to_hex((extract(epoch FROM swept_to) * 1000)::bigint), 12, '0')`);
    await runner.query('DROP INDEX ingress.receipt_received_at_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX ON ingress.receipt USING brin (received_at)');
    await runner.query(`
      ALTER TABLE ingress.sweep ALTER swept_to TYPE timestamptz
      USING to_timestamp(('x' || lpad(substr(swept_to, 5, 12), 16, '0'))::bit(64)::bigint / 1000.0)`);
  }
}
