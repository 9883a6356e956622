import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StandingRevocations1764300000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.revocation ADD COLUMN credential_stays boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.revocation DROP COLUMN credential_stays');
  }
}
