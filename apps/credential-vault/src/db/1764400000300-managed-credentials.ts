import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ManagedCredentials1764400000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.credential ADD COLUMN managed_for text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.credential DROP COLUMN managed_for');
  }
}
