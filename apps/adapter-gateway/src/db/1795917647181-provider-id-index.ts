import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const before = 'gateway.delivery_of_provider';
const now = 'gateway.delivery_by_provider';

/**
 * Deliveries of the Webhook app have no id of their provider but ours, by which they have an index. A process of the
 * release before finds those of an App without it, more slowly.
 */
export class ProviderIdIndex1795917647181 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const on = 'gateway.delivery (app_id, provider_message_id) WHERE provider_message_id <> id';
    await buildLargeIndex(runner, { name: now, on });
    await dropLargeIndex(runner, before);
  }

  async down(runner: QueryRunner): Promise<void> {
    const on = 'gateway.delivery (app_id, provider_message_id) WHERE provider_message_id IS NOT NULL';
    await buildLargeIndex(runner, { name: before, on });
    await dropLargeIndex(runner, now);
  }
}
