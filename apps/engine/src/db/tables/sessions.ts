/** Sessions live where turns do: the inbox of one is its turns that wait. */
export const sessions = [
  // Updated by every turn: room is left on its pages.
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
  // What is over the retention is found without reading what is not.
  'CREATE INDEX session_old ON engine.session (updated_at)',
  // What people do and say in sessions, in its place among the session's turns.
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
  // When a workflow's waiting runs were last let go, and given up: so is one that was on its way meanwhile, when it
  // comes.
  `CREATE TABLE engine.workflow_release (
     project_id text NOT NULL,
     workflow_id integer NOT NULL,
     released_at timestamptz NOT NULL,
     discarded_at timestamptz NOT NULL DEFAULT '-infinity',
     PRIMARY KEY (project_id, workflow_id)
   )`,
  // Keys of requests that make work, with whatever was answered.
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
