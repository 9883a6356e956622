import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DocumentSources1763800000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.source (
        id text CONSTRAINT source_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        name text NOT NULL,
        resource_path text NOT NULL,
        every_seconds integer,
        hint_events jsonb NOT NULL,
        state text NOT NULL,
        cursor text,
        next_sync_at timestamptz,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX source_by_project ON gateway.source (project_id, id)');
    await runner.query('CREATE INDEX source_by_app ON gateway.source (app_id)');
    await runner.query(`CREATE INDEX source_due ON gateway.source (next_sync_at) WHERE state = 'active'`);
    await runner.query(`
      CREATE TABLE gateway.sync_run (
        id text CONSTRAINT sync_run_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        source_id text NOT NULL,
        cause text NOT NULL,
        state text NOT NULL,
        phase text NOT NULL,
        cursor text,
        listing integer NOT NULL,
        full_listing boolean,
        pages integer NOT NULL,
        added integer NOT NULL,
        changed integer NOT NULL,
        removed integer NOT NULL,
        failed integer NOT NULL,
        failures jsonb NOT NULL,
        attempts integer NOT NULL,
        fence integer NOT NULL,
        lease_until timestamptz,
        error text,
        error_detail text,
        created_at timestamptz NOT NULL,
        finished_at timestamptz
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX sync_run_open ON gateway.sync_run (source_id) WHERE state IN ('queued', 'running')`,
    );
    await runner.query('CREATE INDEX sync_run_by_source ON gateway.sync_run (source_id, id)');
    await runner.query(
      `CREATE INDEX sync_run_lease ON gateway.sync_run (lease_until) WHERE state IN ('queued', 'running')`,
    );
    await runner.query(`
      CREATE TABLE gateway.source_change (
        source_id text NOT NULL,
        path text NOT NULL,
        fingerprint text,
        status text NOT NULL,
        attempts integer NOT NULL,
        given_up_by text,
        listed_in text NOT NULL,
        CONSTRAINT source_change_pkey PRIMARY KEY (source_id, path)
      )`);
    await runner.query(`
      CREATE TABLE gateway.source_document (
        id text CONSTRAINT source_document_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        source_id text NOT NULL,
        path text NOT NULL,
        state text NOT NULL,
        fingerprint text,
        content_type text NOT NULL,
        size integer NOT NULL,
        sha256 text NOT NULL,
        content bytea,
        provenance jsonb NOT NULL,
        seen_in text,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        removed_at timestamptz,
        CONSTRAINT source_document_path UNIQUE (source_id, path)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['source_document', 'source_change', 'sync_run', 'source'])
      await runner.query(`DROP TABLE gateway.${table}`);
  }
}
