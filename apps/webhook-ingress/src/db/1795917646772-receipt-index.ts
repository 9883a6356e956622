import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Receipts are found by the time in their id, or in their project: an index of ids alone is one more entry per receipt. A
 * process that looks for a minute around that time finds the same, in more rows.
 */
export class ReceiptIndex1795917646772 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ingress.receipt_id_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX receipt_id_idx ON ingress.receipt (id)');
  }
}
