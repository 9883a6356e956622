import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sweep looks for receipts by time. A BRIN index covers no page that autovacuum has not come to: every sweep read all receipts since then. */
export class ReceiptsByTime1764500000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ingress.receipt_received_at_idx');
    await runner.query('CREATE INDEX receipt_by_time ON ingress.receipt (received_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ingress.receipt_by_time');
    await runner.query('CREATE INDEX ON ingress.receipt USING brin (received_at)');
  }
}
