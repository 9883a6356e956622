import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Receipts1763700000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ingress.endpoint (
        app_id text CONSTRAINT endpoint_pkey PRIMARY KEY,
        token_hash text NOT NULL CONSTRAINT endpoint_token_hash UNIQUE,
        version integer NOT NULL,
        definition jsonb NOT NULL
      )`);
    // No key but the partition's own order: a receipt is found by its id, whose digits tell the day.
    await runner.query(`
      CREATE TABLE ingress.receipt (
        id text NOT NULL,
        received_at timestamptz NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        outcome text NOT NULL,
        reason text,
        method text NOT NULL,
        url text NOT NULL,
        headers text NOT NULL,
        body bytea NOT NULL,
        verified_scheme text,
        remote_address text NOT NULL
      ) PARTITION BY RANGE (received_at)`);
    await runner.query('CREATE INDEX ON ingress.receipt (id)');
    await runner.query('CREATE INDEX ON ingress.receipt (project_id, id)');
    await runner.query('CREATE INDEX ON ingress.receipt USING brin (received_at)');
    await runner.query('CREATE TABLE ingress.receipt_default PARTITION OF ingress.receipt DEFAULT');
    // The receipt is its own first entry in the journal: writing that again would cost the answer a fifth of its time.
    await runner.query(`
      CREATE VIEW journal.receipt AS
      SELECT id AS receipt_id, received_at AS at, organization_id, project_id, app_id, 'webhook-ingress' AS service,
             'received' AS stage, outcome, false AS terminal, reason, NULL::text AS subject_id, 1 AS attempt,
             NULL::double precision AS duration_ms,
             jsonb_build_object('bytes', octet_length(body), 'scheme', verified_scheme, 'from', remote_address) AS detail
        FROM ingress.receipt`);
    await runner.query(`
      CREATE TABLE ingress.delivery_key (
        app_id text NOT NULL,
        key_hash bytea NOT NULL,
        receipt_id text NOT NULL,
        body_hash bytea NOT NULL,
        received_at timestamptz NOT NULL,
        PRIMARY KEY (app_id, key_hash)
      )`);
    await runner.query('CREATE INDEX ON ingress.delivery_key USING brin (received_at)');
    await runner.query(`
      CREATE TABLE ingress.stale_receipt (
        receipt_id text PRIMARY KEY,
        app_id text NOT NULL,
        received_at timestamptz NOT NULL,
        next_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0
      )`);
    await runner.query('CREATE INDEX ON ingress.stale_receipt (next_at)');
    await runner.query('CREATE TABLE ingress.sweep (id integer PRIMARY KEY, swept_to timestamptz NOT NULL)');
    await runner.query("INSERT INTO ingress.sweep VALUES (1, date_trunc('day', now()))");
    await runner.query(`
      CREATE TABLE ingress.refusal (
        id text CONSTRAINT refusal_pkey PRIMARY KEY,
        at timestamptz NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        code text NOT NULL,
        method text NOT NULL,
        header_names text NOT NULL,
        body_bytes integer NOT NULL,
        body_sha256 text NOT NULL,
        remote_address text NOT NULL
      )`);
    await runner.query('CREATE INDEX refusal_by_project ON ingress.refusal (project_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW journal.receipt');
    for (const table of ['refusal', 'sweep', 'stale_receipt', 'delivery_key', 'receipt', 'endpoint']) {
      await runner.query(`DROP TABLE ingress.${table}`);
    }
  }
}
