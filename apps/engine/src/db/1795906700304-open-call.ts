import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Calls of MCP tools that wait for the user or for a task. The previous release makes none: a call that waits has an
 * unknown outcome for it, and is not made again.
 */
export class OpenCall1795906700304 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE engine.open_call (
        id text NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        agent_id text NOT NULL,
        turn_id text NOT NULL,
        receipt_id text NOT NULL,
        app_id text NOT NULL,
        call_ref text NOT NULL,
        contact_id text,
        tool text NOT NULL,
        tool_id text NOT NULL,
        tool_pin text NOT NULL,
        server_id text NOT NULL,
        server_name text NOT NULL,
        state text NOT NULL,
        rounds integer NOT NULL,
        questions json,
        answers jsonb,
        request_state text,
        task_id text,
        poll_ms integer,
        seen text[] NOT NULL DEFAULT '{}',
        token text,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        ended_at timestamptz,
        CONSTRAINT open_call_pkey PRIMARY KEY (id),
        CONSTRAINT open_call_call UNIQUE (turn_id, call_ref),
        CONSTRAINT open_call_token UNIQUE (token)
      )`);
    await runner.query('CREATE INDEX open_call_open ON engine.open_call (project_id, id) WHERE ended_at IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.open_call');
  }
}
