import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The key that seals is not the database's: a token of before works on by its hash, and a rotation makes one to show. */
export class SealedWebhookTokens1764700000200 implements MigrationInterface {
  readonly name = 'SealedWebhookTokens1764700000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.app ADD COLUMN token_hash text, ADD COLUMN sealed_token bytea');
    await runner.query(`UPDATE gateway.app SET token_hash = encode(sha256(convert_to(webhook_token, 'UTF8')), 'hex')`);
    await runner.query(
      `ALTER TABLE gateway.app ALTER COLUMN token_hash SET NOT NULL,
         ADD CONSTRAINT app_token_hash UNIQUE (token_hash), DROP COLUMN webhook_token`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    // What was sealed cannot be had back: these Apps get URLs that nobody knows.
    await runner.query('ALTER TABLE gateway.app ADD COLUMN webhook_token text');
    await runner.query('UPDATE gateway.app SET webhook_token = gen_random_uuid()::text');
    await runner.query(
      `ALTER TABLE gateway.app ALTER COLUMN webhook_token SET NOT NULL,
         ADD CONSTRAINT app_webhook_token UNIQUE (webhook_token), DROP COLUMN token_hash, DROP COLUMN sealed_token`,
    );
  }
}
