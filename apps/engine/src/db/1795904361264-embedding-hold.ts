import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a request for embeddings may use of a budget: it is of no turn, and counts until a time. An engine of the previous
 * release takes it for that of a turn that does not run, so it may reserve the same once more while a deployment rolls.
 */
export class EmbeddingHold1795904361264 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.budget_hold ADD until timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.budget_hold DROP until');
  }
}
