import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HealthAndConformance1764800000961 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.adapter_health (
        adapter_id text NOT NULL,
        minute timestamptz NOT NULL,
        polls integer NOT NULL,
        ready integer NOT NULL,
        latency_sum_ms double precision NOT NULL,
        latency_max_ms double precision NOT NULL,
        reason text,
        CONSTRAINT adapter_health_pkey PRIMARY KEY (adapter_id, minute)
      )`);
    await runner.query('CREATE INDEX adapter_health_by_time ON gateway.adapter_health (minute)');
    await runner.query(`
      CREATE TABLE gateway.conformance_run (
        id text CONSTRAINT conformance_run_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        adapter_id text NOT NULL,
        state text NOT NULL,
        points_done integer NOT NULL,
        points_total integer NOT NULL,
        report jsonb,
        error text,
        started_by text NOT NULL,
        heard_at timestamptz NOT NULL,
        finished_at timestamptz,
        created_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX conformance_run_by_adapter ON gateway.conformance_run (adapter_id, id)`);
    await runner.query(`
      CREATE UNIQUE INDEX conformance_run_open ON gateway.conformance_run (adapter_id) WHERE "state" = 'running'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.conformance_run, gateway.adapter_health');
  }
}
