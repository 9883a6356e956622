/** Sessions are stored next to turns: a session's inbox is its waiting turns. */
export const sessions = [
  // Every turn updates its session, so pages keep free space.
  `CREATE TABLE engine.session (
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
   ) WITH (fillfactor = 80)`,
  'CREATE INDEX session_by_project ON engine.session (project_id, id)',
  // Finds what is past its retention without reading the rest.
  'CREATE INDEX session_old ON engine.session (updated_at)',
  // People's actions and messages in sessions, ordered among the session's turns.
  `CREATE TABLE engine.session_mark (
     session_id text NOT NULL,
     at timestamptz NOT NULL,
     kind text NOT NULL,
     made_by text NOT NULL,
     delivery_id text,
     text text,
     epoch integer
   )`,
  'CREATE INDEX ON engine.session_mark (session_id, at)',
  'CREATE UNIQUE INDEX session_mark_delivery ON engine.session_mark (delivery_id) WHERE delivery_id IS NOT NULL',
  'CREATE INDEX session_mark_old ON engine.session_mark (at)',
  // When a workflow's held runs were last released, and last discarded. A run that arrives later but was held before is
  // released or discarded too.
  `CREATE TABLE engine.workflow_release (
     project_id text NOT NULL,
     workflow_id integer NOT NULL,
     released_at timestamptz NOT NULL,
     discarded_at timestamptz NOT NULL DEFAULT '-infinity',
     PRIMARY KEY (project_id, workflow_id)
   )`,
  // Idempotency keys of requests that create work, with the answers given.
  `CREATE TABLE engine.request_key (
     project_id text NOT NULL,
     key text NOT NULL,
     request text NOT NULL,
     answer jsonb,
     created_at timestamptz NOT NULL,
     PRIMARY KEY (project_id, key)
   )`,
  'CREATE INDEX request_key_old ON engine.request_key (created_at)',
];
