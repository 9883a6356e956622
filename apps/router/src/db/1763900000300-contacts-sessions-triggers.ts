import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ContactsSessionsTriggers1763900000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await contacts(runner);
    await guards(runner);
    await sessions(runner);
    await workflows(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE router.contact, router.contact_identity, router.contact_day, router.pairing_code, router.outbound,
        router.session_mark, router.trigger_window, router.debounce`);
    await runner.query(`
      ALTER TABLE router.channel DROP COLUMN unknown_senders, DROP COLUMN inbox_mode, DROP COLUMN idle_reset_minutes,
        DROP COLUMN daily_reset_hour`);
    await runner.query(`UPDATE router.channel SET session_scope = 'sender' WHERE session_scope = 'contact'`);
    await runner.query('DROP INDEX router.message_held, router.message_by_contact, router.message_by_app');
    await runner.query(`
      ALTER TABLE router.message DROP COLUMN app_kind, DROP COLUMN contact_id, DROP COLUMN sanitizer_report,
        DROP COLUMN released_at, DROP COLUMN released_by`);
    await runner.query('DROP INDEX router.session_by_project, router.turn_by_run');
    await runner.query(`
      ALTER TABLE router.session DROP COLUMN agent_id, DROP COLUMN contact_id, DROP COLUMN status, DROP COLUMN inbox_mode`);
    await runner.query(
      'ALTER TABLE router.turn DROP COLUMN message_id, DROP COLUMN cancel_requested, DROP COLUMN collected_into',
    );
    await runner.query('DROP INDEX router.run_once');
    await runner.query('ALTER TABLE router.run DROP COLUMN replay_of');
    await runner.query(`
      ALTER TABLE router.trigger DROP COLUMN "where", DROP COLUMN limit_per_minute, DROP COLUMN contact_limit_per_hour,
        DROP COLUMN debounce_seconds, DROP COLUMN debounce_max_seconds`);
  }
}

async function contacts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE router.contact (
      id text CONSTRAINT contact_pkey PRIMARY KEY,
      organization_id text NOT NULL,
      project_id text NOT NULL,
      name text NOT NULL,
      status text NOT NULL,
      daily_budget integer,
      merged_into text,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`);
  await runner.query('CREATE INDEX contact_by_project ON router.contact (project_id, id)');
  await runner.query(`
    CREATE TABLE router.contact_identity (
      app_id text NOT NULL,
      sender text NOT NULL,
      organization_id text NOT NULL,
      project_id text NOT NULL,
      home_id text NOT NULL,
      contact_id text NOT NULL,
      name text NOT NULL,
      status text NOT NULL,
      daily_budget integer,
      inbound_at bigint[] NOT NULL,
      replied_at bigint[] NOT NULL,
      last_text text,
      same_texts integer NOT NULL,
      paused_until timestamptz,
      pause_reason text,
      created_at timestamptz NOT NULL,
      seen_at timestamptz NOT NULL,
      CONSTRAINT contact_identity_pkey PRIMARY KEY (app_id, sender)
    ) WITH (fillfactor = 70)`);
  await runner.query('CREATE INDEX contact_identity_by_contact ON router.contact_identity (contact_id)');
  await runner.query('CREATE INDEX contact_identity_by_home ON router.contact_identity (home_id)');
  await runner.query(`
    CREATE TABLE router.contact_day (
      contact_id text NOT NULL,
      day date NOT NULL,
      messages integer NOT NULL,
      PRIMARY KEY (contact_id, day)
    )`);
  await runner.query(`
    CREATE TABLE router.pairing_code (
      app_id text NOT NULL,
      code_hash text NOT NULL,
      made_by text NOT NULL,
      expires_at timestamptz NOT NULL,
      used_at timestamptz,
      PRIMARY KEY (app_id, code_hash)
    )`);
}

async function guards(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE router.outbound (
      app_id text NOT NULL,
      key text NOT NULL,
      at timestamptz NOT NULL,
      PRIMARY KEY (app_id, key)
    )`);
  await runner.query('CREATE INDEX ON router.outbound USING brin (at)');
  await runner.query(`
    ALTER TABLE router.message ADD app_kind text NOT NULL DEFAULT 'builtin', ADD contact_id text, ADD sanitizer_report jsonb,
      ADD released_at timestamptz, ADD released_by text`);
  await runner.query('ALTER TABLE router.message ALTER app_kind DROP DEFAULT');
  await runner.query(`
    CREATE INDEX message_held ON router.message (project_id, id)
     WHERE "outcome" NOT IN ('routed', 'no_match') AND "released_at" IS NULL`);
  await runner.query(
    'CREATE INDEX message_by_contact ON router.message (contact_id, id) WHERE "contact_id" IS NOT NULL',
  );
  await runner.query('CREATE INDEX message_by_app ON router.message (app_id, id)');
}

async function sessions(runner: QueryRunner): Promise<void> {
  await runner.query(`
    ALTER TABLE router.channel ADD unknown_senders text, ADD inbox_mode text, ADD idle_reset_minutes integer,
      ADD daily_reset_hour integer`);
  await runner.query(`UPDATE router.channel SET session_scope = 'contact' WHERE session_scope = 'sender'`);
  await runner.query(`
    ALTER TABLE router.session ADD agent_id text, ADD contact_id text, ADD status text NOT NULL DEFAULT 'active',
      ADD inbox_mode text NOT NULL DEFAULT 'queue'`);
  await runner.query('CREATE INDEX session_by_project ON router.session (project_id, id)');
  await runner.query(`
    CREATE TABLE router.session_mark (
      session_id text NOT NULL,
      at timestamptz NOT NULL,
      kind text NOT NULL,
      made_by text NOT NULL
    )`);
  await runner.query('CREATE INDEX ON router.session_mark (session_id, at)');
  await runner.query(`
    ALTER TABLE router.turn ADD message_id text, ADD cancel_requested boolean NOT NULL DEFAULT false,
      ADD collected_into text`);
  await runner.query('ALTER TABLE router.turn ALTER cancel_requested DROP DEFAULT');
  await runner.query('CREATE INDEX turn_by_run ON router.turn (run_id) WHERE "run_id" IS NOT NULL');
}

async function workflows(runner: QueryRunner): Promise<void> {
  await runner.query('ALTER TABLE router.run ADD replay_of text');
  await runner.query(`
    CREATE UNIQUE INDEX run_once ON router.run (message_id, workflow_id, trigger_id) WHERE "replay" = false`);
  await runner.query(`
    ALTER TABLE router.trigger ADD "where" text, ADD limit_per_minute integer, ADD contact_limit_per_hour integer,
      ADD debounce_seconds integer, ADD debounce_max_seconds integer`);
  await runner.query(`
    CREATE TABLE router.trigger_window (
      trigger_id text NOT NULL,
      scope text NOT NULL,
      starts_at timestamptz NOT NULL,
      runs integer NOT NULL,
      PRIMARY KEY (trigger_id, scope, starts_at)
    )`);
  await runner.query('CREATE INDEX ON router.trigger_window (starts_at)');
  await runner.query(`
    CREATE TABLE router.debounce (
      trigger_id text NOT NULL,
      scope text NOT NULL,
      run_id text NOT NULL,
      turn_id text NOT NULL,
      due_at timestamptz NOT NULL,
      max_at timestamptz NOT NULL,
      PRIMARY KEY (trigger_id, scope)
    )`);
  await runner.query('CREATE INDEX ON router.debounce (due_at)');
}
