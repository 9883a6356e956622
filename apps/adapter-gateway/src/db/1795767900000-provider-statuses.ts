import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a provider says of a message after it has taken it: sent, delivered, read, failed. */
export class ProviderStatuses1795767900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE gateway.delivery ADD COLUMN provider_status text, ADD COLUMN provider_status_detail text,
       ADD COLUMN provider_status_at timestamptz`,
    );
    await runner.query(
      `CREATE INDEX delivery_of_provider ON gateway.delivery (app_id, provider_message_id)
       WHERE provider_message_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX gateway.delivery_of_provider`);
    await runner.query(
      `ALTER TABLE gateway.delivery DROP COLUMN provider_status, DROP COLUMN provider_status_detail,
       DROP COLUMN provider_status_at`,
    );
  }
}
