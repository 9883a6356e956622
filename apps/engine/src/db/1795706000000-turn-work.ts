import { addWorkColumns, dropWorkColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const table = 'engine.turn';
const open = "state IN ('queued', 'running')";
const renamed = {
  state: 'state',
  claim: 'attempt',
  owner: 'lease_owner',
  lease_until: 'lease_until',
  due_at: 'retry_at',
  blocked_since: 'waiting_since',
  reason: 'error',
  ended_at: 'finished_at',
};

/**
 * Turns have the columns of work. `reason` says why a turn waits or has failed, and of one that succeeded what its reply
 * lacks: until now that was a column of its own. Claims that do not count were subtracted, now those that do are counted.
 */
export class TurnWork1795706000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE ${table} SET error = reason WHERE state = 'succeeded'`);
    await runner.query(`ALTER TABLE ${table} DROP COLUMN reason`);
    await runner.query(`UPDATE ${table} SET retry_at = coalesce(retry_at, lease_until, now()) WHERE ${open}`);
    await runner.query(`UPDATE ${table} SET retry_at = now() WHERE retry_at IS NULL`);
    for (const statement of addWorkColumns(table, renamed)) await runner.query(statement);
    await runner.query(`ALTER TABLE ${table} ALTER COLUMN due_at SET NOT NULL`);
    await runner.query(
      `UPDATE ${table} SET tries = greatest(0, claim - waits),
         lease_until = CASE state WHEN 'running' THEN coalesce(lease_until, now()) END`,
    );
    await runner.query('DROP INDEX engine.turn_unfinished');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE ${table} SET waits = greatest(0, claim - tries)`);
    await runner.query(`UPDATE ${table} SET lease_until = due_at WHERE state = 'queued'`);
    await runner.query(`ALTER TABLE ${table} ALTER COLUMN due_at DROP NOT NULL`);
    for (const statement of dropWorkColumns(table, renamed)) await runner.query(statement);
    await runner.query(`ALTER TABLE ${table} ADD COLUMN reason text`);
    await runner.query(`UPDATE ${table} SET reason = error, error = NULL WHERE state = 'succeeded'`);
    await runner.query(`CREATE INDEX turn_unfinished ON ${table} (lease_until) WHERE ${open}`);
  }
}
