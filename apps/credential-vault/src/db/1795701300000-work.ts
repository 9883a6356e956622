import { addWorkColumns, dropWorkColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const notification = { tries: 'attempts', due_at: 'next_try_at', reason: 'error', ended_at: 'given_up_at' };
const revocation = { tries: 'attempts', due_at: 'next_try_at', reason: 'last_error', ended_at: 'gave_up_at' };

/** Notifications and revocations have the columns of work. */
export class Work1795701300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const statements = [
      'ALTER TABLE vault.revocation RENAME COLUMN reason TO cause',
      ...addWorkColumns('vault.notification', notification),
      ...addWorkColumns('vault.revocation', revocation),
      "UPDATE vault.notification SET state = 'dead' WHERE ended_at IS NOT NULL",
      "UPDATE vault.revocation SET state = 'dead' WHERE ended_at IS NOT NULL",
      'DROP INDEX vault.notification_next_idx',
      'DROP INDEX vault.revocation_next_idx',
      "CREATE INDEX notification_due_idx ON vault.notification (due_at) WHERE state IN ('queued', 'running')",
      "CREATE INDEX revocation_due_idx ON vault.revocation (due_at) WHERE state IN ('queued', 'running')",
    ];
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    const statements = [
      'DROP INDEX vault.notification_due_idx',
      'DROP INDEX vault.revocation_due_idx',
      ...dropWorkColumns('vault.notification', notification),
      ...dropWorkColumns('vault.revocation', revocation),
      'ALTER TABLE vault.revocation RENAME COLUMN cause TO reason',
      'CREATE INDEX notification_next_idx ON vault.notification (next_try_at) WHERE given_up_at IS NULL',
      'CREATE INDEX revocation_next_idx ON vault.revocation (next_try_at)',
    ];
    for (const statement of statements) await runner.query(statement);
  }
}
