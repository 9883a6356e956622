import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TenantsAndKeys1763700000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE portal.organization (
        id text CONSTRAINT organization_pkey PRIMARY KEY,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE portal.project (
        id text CONSTRAINT project_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX project_organization_idx ON portal.project (organization_id, id)');
    await runner.query(`
      CREATE TABLE portal.api_key (
        id text CONSTRAINT api_key_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        name text NOT NULL,
        hash bytea NOT NULL,
        last4 text NOT NULL,
        scopes text[] NOT NULL,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE UNIQUE INDEX api_key_hash_key ON portal.api_key (hash)');
    await runner.query('CREATE INDEX api_key_project_idx ON portal.api_key (organization_id, project_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE portal.api_key, portal.project, portal.organization');
  }
}
