import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What token answers bring besides tokens. The previous release writes none, and leaves what is there. */
export class AnswerFields1795679539484 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.oauth_grant ADD COLUMN answer_fields jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.oauth_grant DROP COLUMN answer_fields');
  }
}
