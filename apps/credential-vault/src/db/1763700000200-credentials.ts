import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Credentials1763700000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE vault.credential (
        id text CONSTRAINT credential_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        kid text NOT NULL,
        wrapped_dek bytea NOT NULL,
        generation integer NOT NULL,
        status text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX credential_project_name_key ON vault.credential (organization_id, project_id, name)',
    );
    await runner.query('CREATE INDEX credential_kid_idx ON vault.credential (kid)');
    await runner.query(`
      CREATE TABLE vault.credential_field (
        credential_id text NOT NULL
          CONSTRAINT credential_field_credential_fkey REFERENCES vault.credential (id) ON DELETE CASCADE,
        field text NOT NULL,
        sealed bytea NOT NULL,
        generation integer NOT NULL,
        CONSTRAINT credential_field_pkey PRIMARY KEY (credential_id, field)
      )`);
    await runner.query(`
      CREATE TABLE vault.kek_sentinel (
        kid text CONSTRAINT kek_sentinel_pkey PRIMARY KEY,
        sealed bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE vault.kek_sentinel, vault.credential_field, vault.credential');
  }
}
