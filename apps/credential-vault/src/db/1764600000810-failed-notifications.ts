import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FailedNotifications1764600000810 implements MigrationInterface {
  readonly name = 'FailedNotifications1764600000810';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE vault.notification ADD COLUMN credential_id text NOT NULL DEFAULT '', ADD COLUMN error text,
         ADD COLUMN given_up_at timestamptz`,
    );
    await runner.query('ALTER TABLE vault.notification ALTER COLUMN credential_id DROP DEFAULT');
    await runner.query('DROP INDEX vault.notification_next_idx');
    await runner.query(
      'CREATE INDEX notification_next_idx ON vault.notification (next_try_at) WHERE given_up_at IS NULL',
    );
    await runner.query('CREATE INDEX notification_project_idx ON vault.notification (project_id, credential_id)');
    await runner.query('ALTER TABLE vault.credential ADD COLUMN notification_failure jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.credential DROP COLUMN notification_failure');
    await runner.query('DROP INDEX vault.notification_project_idx');
    await runner.query('DROP INDEX vault.notification_next_idx');
    await runner.query('CREATE INDEX notification_next_idx ON vault.notification (next_try_at)');
    await runner.query(
      'ALTER TABLE vault.notification DROP COLUMN credential_id, DROP COLUMN error, DROP COLUMN given_up_at',
    );
  }
}
