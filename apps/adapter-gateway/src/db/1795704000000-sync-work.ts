import { addWorkColumns, dropWorkColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const table = 'gateway.sync_run';
const renamed = {
  state: 'state',
  claim: 'fence',
  lease_until: 'lease_until',
  tries: 'attempts',
  reason: 'error',
  ended_at: 'finished_at',
};

/** Synchronisations have the columns of work. */
export class SyncWork1795704000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of addWorkColumns(table, renamed)) await runner.query(statement);
    await runner.query(
      `UPDATE ${table} SET due_at = coalesce(lease_until, now()),
         lease_until = CASE state WHEN 'running' THEN coalesce(lease_until, now()) END WHERE state IN ('queued', 'running')`,
    );
    await runner.query('DROP INDEX gateway.sync_run_lease');
    await runner.query(`CREATE INDEX sync_run_due ON ${table} (due_at) WHERE state IN ('queued', 'running')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX gateway.sync_run_due');
    await runner.query(`UPDATE ${table} SET lease_until = due_at WHERE state = 'queued'`);
    for (const statement of dropWorkColumns(table, renamed)) await runner.query(statement);
    await runner.query(`CREATE INDEX sync_run_lease ON ${table} (lease_until) WHERE state IN ('queued', 'running')`);
  }
}
