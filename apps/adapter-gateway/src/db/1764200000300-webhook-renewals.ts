import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WebhookRenewals1764200000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.webhook_renewal (
        app_id text CONSTRAINT webhook_renewal_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        due_at timestamptz NOT NULL,
        renewed_at timestamptz,
        expires_at timestamptz,
        error text,
        error_detail text
      )`);
    await runner.query('CREATE INDEX webhook_renewal_due ON gateway.webhook_renewal (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.webhook_renewal');
  }
}
