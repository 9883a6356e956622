import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which well-known sender a Webhook App receives from, and where its events have what the platform reads. */
export class WebhookSenders1795706000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE gateway.app ADD COLUMN sender text, ADD COLUMN reading jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE gateway.app DROP COLUMN sender, DROP COLUMN reading`);
  }
}
