import { ensureDailyPartitions, partitionFunctions, partitionSignatures } from '#libs/database';
import { createLimitTable, dropLimitTable } from '#libs/project-limits';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Ingress1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...endpoints, ...receipts, ...duplicates, ...sweeps, ...refusals]) {
      await runner.query(statement);
    }
    await ensureDailyPartitions(runner, 'ingress.receipt');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION ${partitionSignatures('ingress.receipt').join(', ')}`);
    await runner.query('DROP VIEW journal.receipt');
    await runner.query(
      `DROP TABLE ingress.refusal, ingress.sweep, ingress.stale_receipt, ingress.delivery_key, ingress.receipt,
         ingress.endpoint`,
    );
    await runner.query(dropLimitTable('ingress'));
  }
}

/** What the adapter-gateway says about Apps, and the portal about projects' own limits. */
const endpoints = [
  `CREATE TABLE ingress.endpoint (
     app_id text CONSTRAINT endpoint_pkey PRIMARY KEY,
     token_hash text NOT NULL CONSTRAINT endpoint_token_hash UNIQUE,
     version integer NOT NULL,
     definition jsonb NOT NULL
   )`,
  createLimitTable('ingress'),
];

const receipts = [
  // No primary key: a receipt is found by its id, which contains its day.
  `CREATE TABLE ingress.receipt (
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
   ) PARTITION BY RANGE (received_at)`,
  'CREATE INDEX ON ingress.receipt (id)',
  'CREATE INDEX ON ingress.receipt (project_id, id)',
  // For the sweep. A BRIN index does not cover pages that autovacuum has not reached: each sweep would read all
  // receipts since.
  'CREATE INDEX receipt_by_time ON ingress.receipt (received_at)',
  'CREATE TABLE ingress.receipt_default PARTITION OF ingress.receipt DEFAULT',
  // The ingress creates and drops the daily partitions without owning the table.
  ...partitionFunctions('ingress.receipt', 'received_at'),
  // The receipt is its own first entry in the journal: writing that again would cost the answer a fifth of its time.
  `CREATE VIEW journal.receipt AS
   SELECT id AS receipt_id, received_at AS at, organization_id, project_id, app_id, 'webhook-ingress' AS service,
          'received' AS stage, outcome, false AS terminal, reason, NULL::text AS subject_id, 1 AS attempt,
          NULL::double precision AS duration_ms,
          jsonb_build_object('bytes', octet_length(body), 'scheme', verified_scheme, 'from', remote_address) AS detail
     FROM ingress.receipt`,
];

/** Recognises a provider's repeated delivery of the same event. */
const duplicates = [
  `CREATE TABLE ingress.delivery_key (
     app_id text NOT NULL,
     key_hash bytea NOT NULL,
     receipt_id text NOT NULL,
     body_hash bytea NOT NULL,
     received_at timestamptz NOT NULL,
     PRIMARY KEY (app_id, key_hash)
   )`,
  'CREATE INDEX ON ingress.delivery_key USING brin (received_at)',
];

/** How far receipts were checked, and those that had not ended by then. */
const sweeps = [
  'CREATE TABLE ingress.sweep (id integer PRIMARY KEY, swept_to timestamptz NOT NULL)',
  `INSERT INTO ingress.sweep VALUES (1, date_trunc('day', now()))`,
  `CREATE TABLE ingress.stale_receipt (
     receipt_id text PRIMARY KEY,
     app_id text NOT NULL,
     received_at timestamptz NOT NULL,
     next_at timestamptz NOT NULL,
     attempts integer NOT NULL DEFAULT 0
   )`,
  'CREATE INDEX ON ingress.stale_receipt (next_at)',
];

/** Refused requests: what is needed to find out why, without their bodies. */
const refusals = [
  `CREATE TABLE ingress.refusal (
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
   )`,
  'CREATE INDEX refusal_by_project ON ingress.refusal (project_id, id)',
];
