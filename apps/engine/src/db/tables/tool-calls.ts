export const toolCalls = [
  `CREATE TABLE engine.tool_call (
     turn_id text NOT NULL,
     seq integer NOT NULL,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     agent_id text NOT NULL,
     call_ref text NOT NULL,
     tool text NOT NULL,
     source text NOT NULL,
     tool_id text,
     grade text NOT NULL,
     arguments_sha256 text NOT NULL,
     outcome text NOT NULL,
     code text,
     duration_ms double precision,
     callback_sha256 text,
     callbacks integer NOT NULL DEFAULT 0,
     hosts text[],
     tokens jsonb,
     created_at timestamptz NOT NULL DEFAULT now(),
     finished_at timestamptz,
     CONSTRAINT tool_call_pkey PRIMARY KEY (turn_id, seq)
   )`,
  'CREATE UNIQUE INDEX tool_call_callback ON engine.tool_call (callback_sha256) WHERE callback_sha256 IS NOT NULL',
  // A Python tool that a person tries has a row while it runs. Its token lets it ask the engine for HTTP.
  `CREATE TABLE engine.python_try (
     callback_sha256 text CONSTRAINT python_try_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     tool_id text NOT NULL,
     grade text NOT NULL,
     callbacks integer NOT NULL DEFAULT 0,
     tokens jsonb,
     expires_at timestamptz NOT NULL
   )`,
  'CREATE INDEX python_try_expires ON engine.python_try (expires_at)',
];
