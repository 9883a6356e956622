import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AgentsTurnsReplies1763700100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE engine.agent (
        id text NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        name text NOT NULL,
        instructions text NOT NULL,
        model text,
        tools text[] NOT NULL,
        is_chief_of_staff boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT agent_pkey PRIMARY KEY (id)
      )`);
    await runner.query('CREATE INDEX agent_project ON engine.agent (project_id, id)');
    await runner.query('CREATE UNIQUE INDEX agent_chief_of_staff ON engine.agent (project_id) WHERE is_chief_of_staff');
    await runner.query(`
      CREATE TABLE engine.turn (
        id text NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        receipt_id text NOT NULL,
        run_id text,
        session_id text,
        agent_id text,
        epoch integer NOT NULL,
        input jsonb,
        state text NOT NULL,
        error text,
        attempt integer NOT NULL,
        lease_owner text,
        lease_until timestamptz,
        reply_text text,
        steps integer NOT NULL DEFAULT 0,
        tokens integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz,
        CONSTRAINT turn_pkey PRIMARY KEY (id)
      )`);
    await runner.query('CREATE INDEX turn_session ON engine.turn (session_id, id)');
    await runner.query(
      "CREATE INDEX turn_unfinished ON engine.turn (lease_until) WHERE state IN ('queued', 'running')",
    );
    await runner.query(`
      CREATE TABLE engine.step (
        turn_id text NOT NULL,
        seq integer NOT NULL,
        kind text NOT NULL,
        content jsonb NOT NULL,
        tokens integer,
        duration_ms double precision,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT step_pkey PRIMARY KEY (turn_id, seq)
      )`);
    await runner.query(`
      CREATE TABLE engine.reply (
        delivery_id text NOT NULL,
        turn_id text NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        receipt_id text NOT NULL,
        content jsonb NOT NULL,
        state text NOT NULL,
        outcome text,
        offered_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT reply_pkey PRIMARY KEY (delivery_id),
        CONSTRAINT reply_turn UNIQUE (turn_id)
      )`);
    await runner.query("CREATE INDEX reply_open ON engine.reply (offered_at) WHERE state = 'open'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.reply, engine.step, engine.turn, engine.agent');
  }
}
