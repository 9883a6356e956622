import { addWorkColumns, dropWorkColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const table = 'gateway.inbound_wait';
const renamed = {
  owner: 'taken_by',
  due_at: 'next_at',
  tries: 'attempts',
  blocked_since: 'waiting_since',
  reason: 'code',
};

/** Receipts that wait for their adapter have the columns of work. */
export class InboundWork1795703000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of addWorkColumns(table, renamed)) await runner.query(statement);
    await runner.query(`UPDATE ${table} SET state = 'running', lease_until = due_at WHERE taken`);
    await runner.query(`ALTER TABLE ${table} DROP COLUMN taken`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${table} ADD COLUMN taken boolean NOT NULL DEFAULT false`);
    await runner.query(`UPDATE ${table} SET taken = true, due_at = lease_until WHERE state = 'running'`);
    for (const statement of dropWorkColumns(table, renamed)) await runner.query(statement);
  }
}
