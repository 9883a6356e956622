import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const name = 'gateway.delivery_due';

/** Deliveries that are due, by the columns that `DeliveryWork` has given them. Where that had made it, it stays. */
export class DeliveryDue1795705000001 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, { name, on: "gateway.delivery (due_at) WHERE state IN ('queued', 'sending')" });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLargeIndex(runner, name);
  }
}
