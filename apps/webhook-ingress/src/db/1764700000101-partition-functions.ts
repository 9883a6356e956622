import { ensureDailyPartitions, partitionFunctions, partitionSignatures } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The ingress turns the days of its receipts without owning the table. */
export class PartitionFunctions1764700000101 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of partitionFunctions('ingress.receipt', 'received_at')) await runner.query(statement);
    await ensureDailyPartitions(runner, 'ingress.receipt');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION ${partitionSignatures('ingress.receipt').join(', ')}`);
  }
}
