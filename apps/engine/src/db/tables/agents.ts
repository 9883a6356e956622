export const agents = [
  `CREATE TABLE engine.agent (
     id text NOT NULL,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     name text NOT NULL,
     instructions text NOT NULL,
     model text,
     tools text[] NOT NULL,
     skills text[] NOT NULL DEFAULT '{}',
     python_tools text[] NOT NULL DEFAULT '{}',
     fallback_model text,
     may_do text NOT NULL DEFAULT 'write',
     approvers text[] NOT NULL DEFAULT '{}',
     allowed_hosts text[] NOT NULL DEFAULT '{}',
     caps jsonb NOT NULL DEFAULT '{}',
     is_chief_of_staff boolean NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT agent_pkey PRIMARY KEY (id)
   )`,
  'CREATE INDEX agent_project ON engine.agent (project_id, id)',
  'CREATE UNIQUE INDEX agent_chief_of_staff ON engine.agent (project_id) WHERE is_chief_of_staff',
];
