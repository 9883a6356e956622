import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refused clients. The previous release pauses grants by `next_try_at` alone, and ignores the table. */
export class ClientPause1795678342288 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE vault.client_pause (
         client_key text NOT NULL,
         credential_id text NOT NULL
           CONSTRAINT client_pause_credential_fkey REFERENCES vault.credential (id) ON DELETE CASCADE,
         generation integer NOT NULL,
         until timestamptz NOT NULL,
         CONSTRAINT client_pause_pkey PRIMARY KEY (client_key, credential_id)
       )`,
    );
    await runner.query('CREATE INDEX client_pause_credential_idx ON vault.client_pause (credential_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE vault.client_pause');
  }
}
