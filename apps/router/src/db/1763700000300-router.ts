import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Router1763700000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE router.claim (
        app_id text NOT NULL,
        dedup_key text NOT NULL,
        message_id text NOT NULL,
        receipt_id text NOT NULL,
        claimed_at timestamptz NOT NULL,
        PRIMARY KEY (app_id, dedup_key)
      )`);
    await runner.query('CREATE INDEX ON router.claim USING brin (claimed_at)');
    await runner.query(`
      CREATE TABLE router.message (
        id text CONSTRAINT message_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        receipt_id text NOT NULL,
        verified boolean NOT NULL,
        message jsonb NOT NULL,
        outcome text NOT NULL,
        reason text,
        verdicts jsonb NOT NULL,
        created_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX message_by_receipt ON router.message (receipt_id)');
    await runner.query(`
      CREATE TABLE router.session (
        id text PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        key text NOT NULL UNIQUE,
        current_turn_id text,
        epoch integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE router.session_inbox (
        seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        session_id text NOT NULL,
        turn_id text NOT NULL UNIQUE
      )`);
    await runner.query('CREATE INDEX ON router.session_inbox (session_id, seq)');
    await runner.query(`
      CREATE TABLE router.turn (
        id text CONSTRAINT turn_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        receipt_id text NOT NULL,
        run_id text,
        session_id text,
        agent_id text,
        epoch integer NOT NULL,
        input jsonb NOT NULL,
        state text NOT NULL,
        error text,
        woken_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        finished_at timestamptz
      )`);
    await runner.query(`CREATE INDEX turn_open ON router.turn (woken_at) WHERE state = 'open'`);
    await runner.query(`
      CREATE TABLE router.run (
        id text CONSTRAINT run_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        workflow_id integer NOT NULL,
        trigger_id text,
        message_id text NOT NULL,
        receipt_id text NOT NULL,
        replay boolean NOT NULL,
        state text NOT NULL,
        error text,
        created_at timestamptz NOT NULL,
        finished_at timestamptz
      )`);
    await runner.query('CREATE INDEX run_by_project ON router.run (project_id, id)');
    await runner.query('CREATE INDEX run_by_receipt ON router.run (receipt_id)');
    await runner.query(`
      CREATE TABLE router.workflow (
        project_id text NOT NULL,
        id integer NOT NULL,
        organization_id text NOT NULL,
        name text NOT NULL,
        agent_id text,
        instructions text NOT NULL,
        status text NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT workflow_pkey PRIMARY KEY (project_id, id)
      )`);
    await runner.query(`
      CREATE TABLE router.trigger (
        id text CONSTRAINT trigger_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        workflow_id integer NOT NULL,
        event_types jsonb NOT NULL,
        active boolean NOT NULL,
        created_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX trigger_by_project ON router.trigger (project_id, app_id)');
    await runner.query(`
      CREATE TABLE router.channel (
        app_id text CONSTRAINT channel_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        agent_id text,
        chief_of_staff boolean NOT NULL,
        triggers boolean NOT NULL,
        reply_address text,
        session_scope text NOT NULL,
        updated_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'channel',
      'trigger',
      'workflow',
      'run',
      'turn',
      'session_inbox',
      'session',
      'message',
      'claim',
    ]) {
      await runner.query(`DROP TABLE router.${table}`);
    }
  }
}
