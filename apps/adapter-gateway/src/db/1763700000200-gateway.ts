import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Gateway1763700000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.adapter (
        id text CONSTRAINT adapter_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        slug text NOT NULL,
        base_url text NOT NULL,
        manifest jsonb NOT NULL,
        state text NOT NULL,
        state_reason text,
        version text,
        latency_ms double precision,
        checked_at timestamptz,
        created_at timestamptz NOT NULL,
        CONSTRAINT adapter_slug UNIQUE (project_id, slug)
      )`);
    // The ingress asks for what changed after a version.
    await runner.query('CREATE SEQUENCE gateway.app_version');
    await runner.query(`
      CREATE TABLE gateway.app (
        id text CONSTRAINT app_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        name text NOT NULL,
        kind text NOT NULL,
        adapter_id text,
        credential_id text,
        state text NOT NULL,
        webhook_token text NOT NULL CONSTRAINT app_webhook_token UNIQUE,
        retired_token_hashes jsonb NOT NULL,
        signature jsonb,
        max_body_bytes integer NOT NULL,
        origin_marker text NOT NULL,
        self jsonb,
        version integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX app_by_project ON gateway.app (project_id, id)');
    await runner.query('CREATE INDEX app_by_version ON gateway.app (version)');
    await runner.query(`
      CREATE TABLE gateway.delivery (
        id text CONSTRAINT delivery_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        receipt_id text NOT NULL,
        turn_id text,
        content jsonb NOT NULL,
        state text NOT NULL,
        attempts integer NOT NULL,
        from_part integer NOT NULL,
        lease_until timestamptz,
        error text,
        error_detail text,
        provider_message_id text,
        created_at timestamptz NOT NULL,
        settled_at timestamptz
      )`);
    await runner.query('CREATE INDEX delivery_by_project ON gateway.delivery (project_id, id)');
    await runner.query(
      `CREATE INDEX delivery_open ON gateway.delivery (lease_until) WHERE state IN ('queued', 'sending')`,
    );
    await runner.query(`
      CREATE TABLE gateway.parsed_messages (
        receipt_id text CONSTRAINT parsed_messages_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        messages jsonb NOT NULL,
        created_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['parsed_messages', 'delivery', 'app', 'adapter'])
      await runner.query(`DROP TABLE gateway.${table}`);
    await runner.query('DROP SEQUENCE gateway.app_version');
  }
}
