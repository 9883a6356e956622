import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Two versions of an agent on the same messages. Their turns are turns; the previous release makes none. */
export class Comparison1795827000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.comparison (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         agent_id text NOT NULL,
         baseline integer NOT NULL,
         candidate integer NOT NULL,
         rules jsonb NOT NULL,
         judge jsonb,
         max_tokens integer,
         made_by text NOT NULL,
         cancelled_by text,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT comparison_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query('CREATE INDEX comparison_agent ON engine.comparison (agent_id, id)');
    await runner.query('CREATE INDEX comparison_old ON engine.comparison (created_at)');
    await runner.query(
      `CREATE TABLE engine.comparison_case (
         id text NOT NULL,
         comparison_id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         position integer NOT NULL,
         source_turn_id text NOT NULL,
         baseline_turn_id text NOT NULL,
         candidate_turn_id text NOT NULL,
         judge_turn_id text NOT NULL,
         verdict jsonb,
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
         CONSTRAINT comparison_case_pkey PRIMARY KEY (id),
         CONSTRAINT comparison_case_position UNIQUE (comparison_id, position)
       )`,
    );
    await runner.query(
      `CREATE INDEX comparison_case_due ON engine.comparison_case (due_at) WHERE state IN ('queued', 'running')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.comparison_case');
    await runner.query('DROP TABLE engine.comparison');
  }
}
