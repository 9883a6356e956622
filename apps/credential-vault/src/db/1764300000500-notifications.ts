import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Notifications1764300000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE vault.notification_target (
         project_id text CONSTRAINT notification_target_pkey PRIMARY KEY,
         organization_id text NOT NULL,
         url text NOT NULL,
         kid text NOT NULL,
         wrapped_dek bytea NOT NULL,
         secret bytea NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(
      `CREATE TABLE vault.notification (
         id text CONSTRAINT notification_pkey PRIMARY KEY,
         project_id text NOT NULL CONSTRAINT notification_target_fkey
           REFERENCES vault.notification_target (project_id) ON DELETE CASCADE,
         body text NOT NULL,
         attempts integer NOT NULL DEFAULT 0,
         next_try_at timestamptz NOT NULL DEFAULT now(),
         created_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
    await runner.query('CREATE INDEX notification_next_idx ON vault.notification (next_try_at)');
    await runner.query('CREATE INDEX notification_target_kid_idx ON vault.notification_target (kid)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE vault.notification, vault.notification_target');
  }
}
