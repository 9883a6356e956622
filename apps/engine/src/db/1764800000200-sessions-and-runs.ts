import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions, their inbox and runs live where turns do: the inbox is the turns that wait, and a run is its last turn. */
export class SessionsAndRuns1764800000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE engine.turn ADD COLUMN message_id text, ADD COLUMN workflow_id integer, ADD COLUMN trigger_id text,
        ADD COLUMN replay boolean NOT NULL DEFAULT false, ADD COLUMN replay_of text, ADD COLUMN held_for text,
        ADD COLUMN collected_into text`);
    await runner.query('DROP INDEX engine.turn_by_run');
    const active = `session_id IS NOT NULL AND state IN ('queued', 'running', 'waiting_approval')`;
    for (const [name, columns, where] of [
      ['turn_by_run', 'project_id, run_id', 'run_id IS NOT NULL'],
      ['turn_inbox', 'session_id, receipt_id, id', `state = 'waiting'`],
      ['turn_handled', 'session_id', `state = 'handled'`],
      ['turn_held', 'project_id, workflow_id', `state = 'held'`],
    ]) {
      await runner.query(`CREATE INDEX ${name} ON engine.turn (${columns}) WHERE ${where}`);
    }
    await runner.query('CREATE INDEX turn_by_receipt ON engine.turn (receipt_id)');
    await runner.query(`CREATE UNIQUE INDEX turn_active ON engine.turn (session_id) WHERE ${active}`);
    await runner.query(`
      CREATE TABLE engine.session (
        id text CONSTRAINT session_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        app_id text NOT NULL,
        key text NOT NULL CONSTRAINT session_key UNIQUE,
        agent_id text,
        contact_id text,
        status text NOT NULL,
        inbox_mode text NOT NULL,
        epoch integer NOT NULL,
        taken_over_epoch integer,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      ) WITH (fillfactor = 80)`);
    await runner.query('CREATE INDEX session_by_project ON engine.session (project_id, id)');
    await runner.query(`
      CREATE TABLE engine.session_mark (
        session_id text NOT NULL,
        at timestamptz NOT NULL,
        kind text NOT NULL,
        made_by text NOT NULL,
        delivery_id text,
        text text,
        epoch integer
      )`);
    await runner.query('CREATE INDEX ON engine.session_mark (session_id, at)');
    await runner.query(
      'CREATE UNIQUE INDEX session_mark_delivery ON engine.session_mark (delivery_id) WHERE delivery_id IS NOT NULL',
    );
    await runner.query(`
      CREATE TABLE engine.workflow_release (
        project_id text NOT NULL,
        workflow_id integer NOT NULL,
        released_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, workflow_id)
      )`);
    await runner.query(`
      CREATE TABLE engine.request_key (
        project_id text NOT NULL,
        key text NOT NULL,
        request text NOT NULL,
        answer jsonb,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, key)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.session, engine.session_mark, engine.workflow_release, engine.request_key');
    await runner.query(`
      DROP INDEX engine.turn_by_run, engine.turn_by_receipt, engine.turn_inbox, engine.turn_handled, engine.turn_held, engine.turn_active`);
    await runner.query('CREATE INDEX turn_by_run ON engine.turn (run_id) WHERE run_id IS NOT NULL');
    await runner.query(`
      ALTER TABLE engine.turn DROP COLUMN message_id, DROP COLUMN workflow_id, DROP COLUMN trigger_id, DROP COLUMN replay,
        DROP COLUMN replay_of, DROP COLUMN held_for, DROP COLUMN collected_into`);
  }
}
