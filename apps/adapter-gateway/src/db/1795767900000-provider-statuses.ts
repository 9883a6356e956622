import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a provider says of a message after it has taken it: sent, delivered, read, failed. */
export class ProviderStatuses1795767900000 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE gateway.delivery ADD COLUMN IF NOT EXISTS provider_status text,
       ADD COLUMN IF NOT EXISTS provider_status_detail text, ADD COLUMN IF NOT EXISTS provider_status_at timestamptz`,
    );
    await buildLargeIndex(runner, {
      name: 'gateway.delivery_of_provider',
      on: 'gateway.delivery (app_id, provider_message_id) WHERE provider_message_id IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLargeIndex(runner, 'gateway.delivery_of_provider');
    await runner.query(
      `ALTER TABLE gateway.delivery DROP COLUMN IF EXISTS provider_status, DROP COLUMN IF EXISTS provider_status_detail,
       DROP COLUMN IF EXISTS provider_status_at`,
    );
  }
}
