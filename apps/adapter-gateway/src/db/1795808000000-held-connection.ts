import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Apps whose provider is asked for its events. */
export class HeldConnection1795808000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE gateway.held_connection (
         app_id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         cursor text,
         connected_at timestamptz,
         answered_at timestamptz,
         last_event_at timestamptz,
         events bigint NOT NULL DEFAULT 0,
         gap jsonb,
         error_detail text,
         created_at timestamptz NOT NULL DEFAULT now(),
         state text NOT NULL DEFAULT 'queued',
         claim integer NOT NULL DEFAULT 0,
         owner text,
         lease_until timestamptz,
         due_at timestamptz NOT NULL DEFAULT now(),
         tries integer NOT NULL DEFAULT 0,
         blocked_since timestamptz,
         reason text,
         ended_at timestamptz,
         deaths integer NOT NULL DEFAULT 0,
         on_trial boolean NOT NULL DEFAULT false,
         CONSTRAINT held_connection_pkey PRIMARY KEY (app_id)
       )`,
    );
    await runner.query(
      `CREATE INDEX held_connection_due ON gateway.held_connection (due_at) WHERE state IN ('queued', 'running')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.held_connection');
  }
}
