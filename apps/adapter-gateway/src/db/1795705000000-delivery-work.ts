import { addWorkColumns, dropWorkColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const table = 'gateway.delivery';
const open = "state IN ('queued', 'sending')";
const renamed = {
  state: 'state',
  claim: 'claims',
  owner: 'lease_owner',
  lease_until: 'lease_until',
  tries: 'attempts',
  blocked_since: 'failing_since',
  reason: 'error',
  ended_at: 'settled_at',
};

/** Deliveries have the columns of work. Until now `lease_until` was the time of the next attempt, too. */
export class DeliveryWork1795705000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of addWorkColumns(table, renamed)) await runner.query(statement);
    await runner.query(
      `UPDATE ${table} SET due_at = coalesce(lease_until, now()),
         lease_until = CASE state WHEN 'sending' THEN coalesce(lease_until, now()) END WHERE ${open}`,
    );
    await runner.query('DROP INDEX gateway.delivery_open');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE ${table} SET lease_until = due_at WHERE state = 'queued'`);
    for (const statement of dropWorkColumns(table, renamed)) await runner.query(statement);
    await runner.query(`CREATE INDEX delivery_open ON ${table} (lease_until) WHERE ${open}`);
  }
}
