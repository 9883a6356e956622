import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AppCredentials1764600000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One record for each declaration of the manifest, and when the vault is to be told of it (again).
    await runner.query(`
      ALTER TABLE gateway.app
        DROP COLUMN credential_id,
        ADD COLUMN credentials jsonb NOT NULL DEFAULT '{}',
        ADD COLUMN bindings_due_at timestamptz`);
    await runner.query(
      'CREATE INDEX app_bindings_due ON gateway.app (bindings_due_at) WHERE bindings_due_at IS NOT NULL',
    );
    await runner.query(`
      ALTER TABLE gateway.adapter
        ADD COLUMN name text,
        ADD COLUMN disabled boolean NOT NULL DEFAULT false,
        ADD COLUMN skill_credentials jsonb NOT NULL DEFAULT '{}'`);
    // Skills of adapters that are gone, until the registry was told.
    await runner.query(`
      CREATE TABLE gateway.skill_removal (
        id text CONSTRAINT skill_removal_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        slug text NOT NULL,
        created_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.skill_removal');
    await runner.query(
      'ALTER TABLE gateway.adapter DROP COLUMN name, DROP COLUMN disabled, DROP COLUMN skill_credentials',
    );
    await runner.query('DROP INDEX gateway.app_bindings_due');
    await runner.query(`
      ALTER TABLE gateway.app DROP COLUMN credentials, DROP COLUMN bindings_due_at, ADD COLUMN credential_id text`);
  }
}
