import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who begins a batch keeps its caller's key itself, with the request that came under it. */
export class BatchKeys1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE journal.batch DROP COLUMN idempotency_key');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE journal.batch ADD idempotency_key text, ADD UNIQUE (project_id, idempotency_key)');
  }
}
