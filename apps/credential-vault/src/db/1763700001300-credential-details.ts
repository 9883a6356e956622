import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CredentialDetails1763700001300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE vault.credential
        ADD COLUMN "grant" text,
        ADD COLUMN declared_fields jsonb,
        ADD COLUMN adapter_slug text,
        ADD COLUMN reason text,
        ADD COLUMN account jsonb,
        ADD COLUMN account_fingerprint text,
        ADD COLUMN last_verified_at timestamptz,
        ADD COLUMN dek_made_at timestamptz NOT NULL DEFAULT now()`);
    await runner.query('CREATE INDEX credential_dek_made_at_idx ON vault.credential (dek_made_at)');
    await runner.query(`
      CREATE TABLE vault.credential_binding (
        id text CONSTRAINT credential_binding_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        credential_id text NOT NULL
          CONSTRAINT credential_binding_credential_fkey REFERENCES vault.credential (id) ON DELETE RESTRICT,
        consumer_kind text NOT NULL,
        consumer_id text NOT NULL,
        fields text[],
        maps_to jsonb NOT NULL,
        approved jsonb NOT NULL,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX credential_binding_consumer_key
        ON vault.credential_binding (credential_id, consumer_kind, consumer_id)`);
    await runner.query(`
      CREATE INDEX credential_binding_by_consumer_idx
        ON vault.credential_binding (organization_id, project_id, consumer_kind, consumer_id)`);
    await runner.query(`
      CREATE TABLE vault.credential_audit (
        id text CONSTRAINT credential_audit_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        credential_id text NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        actor text NOT NULL,
        action text NOT NULL,
        fields text[] NOT NULL,
        reason text,
        consumer text,
        times integer NOT NULL
      )`);
    await runner.query(`
      CREATE INDEX credential_audit_of_credential_idx
        ON vault.credential_audit (organization_id, project_id, credential_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE vault.credential_audit, vault.credential_binding');
    await runner.query('DROP INDEX vault.credential_dek_made_at_idx');
    await runner.query(`
      ALTER TABLE vault.credential
        DROP COLUMN "grant",
        DROP COLUMN declared_fields,
        DROP COLUMN adapter_slug,
        DROP COLUMN reason,
        DROP COLUMN account,
        DROP COLUMN account_fingerprint,
        DROP COLUMN last_verified_at,
        DROP COLUMN dek_made_at`);
  }
}
