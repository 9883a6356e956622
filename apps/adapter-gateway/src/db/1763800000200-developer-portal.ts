import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeveloperPortal1763800000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.manifest_version (
        id text CONSTRAINT manifest_version_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        adapter_id text NOT NULL,
        number integer NOT NULL,
        manifest jsonb NOT NULL,
        differences jsonb NOT NULL,
        fetched_by text NOT NULL,
        approved_by text,
        activated_at timestamptz,
        created_at timestamptz NOT NULL,
        CONSTRAINT manifest_version_number UNIQUE (adapter_id, number)
      )`);
    // Skill-only listings have no address.
    await runner.query('ALTER TABLE gateway.adapter ALTER COLUMN base_url DROP NOT NULL');
    await runner.query(`
      ALTER TABLE gateway.adapter
        ADD COLUMN manifest_version integer NOT NULL DEFAULT 1,
        ADD COLUMN failed_polls integer NOT NULL DEFAULT 0,
        ADD COLUMN next_check_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN violation text,
        ADD COLUMN violation_at timestamptz`);
    await runner.query('CREATE INDEX adapter_by_next_check ON gateway.adapter (next_check_at)');
    await runner.query(`
      INSERT INTO gateway.manifest_version (id, organization_id, project_id, adapter_id, number, manifest,
        differences, fetched_by, activated_at, created_at)
      SELECT 'mfv_' || substr(id, 5), organization_id, project_id, id, 1, manifest, '[]', 'migration', created_at,
        created_at FROM gateway.adapter`);
    await runner.query(`
      ALTER TABLE gateway.app
        ADD COLUMN provider text,
        ADD COLUMN capabilities jsonb NOT NULL DEFAULT '["send", "receive"]',
        ADD COLUMN previous_token_hash text,
        ADD COLUMN previous_token_until timestamptz`);
    // Where a project has several Apps of one adapter already, the oldest holds the provider and the others go on.
    await runner.query(`
      UPDATE gateway.app SET provider = first.slug FROM (
        SELECT DISTINCT ON (app.project_id, app.adapter_id) app.id, adapter.slug
          FROM gateway.app JOIN gateway.adapter ON adapter.id = app.adapter_id
         WHERE app.state <> 'retired' ORDER BY app.project_id, app.adapter_id, app.id
      ) first WHERE app.id = first.id`);
    await runner.query(
      `CREATE UNIQUE INDEX app_one_per_provider ON gateway.app (project_id, provider) WHERE state <> 'retired'`,
    );
    await runner.query(`
      ALTER TABLE gateway.delivery
        ADD COLUMN open_since timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN idempotency_key text`);
    await runner.query('UPDATE gateway.delivery SET open_since = created_at');
    await runner.query(
      'CREATE UNIQUE INDEX delivery_idempotency_key ON gateway.delivery (project_id, app_id, idempotency_key)',
    );
    await runner.query(`
      CREATE TABLE gateway.address_pace (
        app_id text NOT NULL,
        address_hash text NOT NULL,
        next_at timestamptz NOT NULL,
        CONSTRAINT address_pace_pkey PRIMARY KEY (app_id, address_hash)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.address_pace');
    await runner.query('DROP INDEX gateway.delivery_idempotency_key');
    await runner.query('ALTER TABLE gateway.delivery DROP COLUMN open_since, DROP COLUMN idempotency_key');
    await runner.query('DROP INDEX gateway.app_one_per_provider');
    await runner.query(`
      ALTER TABLE gateway.app DROP COLUMN provider, DROP COLUMN capabilities, DROP COLUMN previous_token_hash,
        DROP COLUMN previous_token_until`);
    await runner.query('DROP INDEX gateway.adapter_by_next_check');
    await runner.query(`
      ALTER TABLE gateway.adapter DROP COLUMN manifest_version, DROP COLUMN failed_polls, DROP COLUMN next_check_at,
        DROP COLUMN violation, DROP COLUMN violation_at`);
    await runner.query('DELETE FROM gateway.adapter WHERE base_url IS NULL');
    await runner.query('ALTER TABLE gateway.adapter ALTER COLUMN base_url SET NOT NULL');
    await runner.query('DROP TABLE gateway.manifest_version');
  }
}
