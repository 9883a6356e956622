export const apps = [
  // The ingress asks for what changed after a version.
  'CREATE SEQUENCE gateway.app_version',
  // The webhook's token is stored as its hash, and sealed with a key that is not in the database, to show it to whoever
  // manages the App. `credentials` holds the vault's records by the manifest's declarations; `bindings_due_at` is when
  // the vault is told (again) who uses them.
  `CREATE TABLE gateway.app (
     id text CONSTRAINT app_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     name text NOT NULL,
     kind text NOT NULL,
     adapter_id text,
     provider text,
     capabilities jsonb NOT NULL DEFAULT '["send", "receive"]',
     credentials jsonb NOT NULL DEFAULT '{}',
     bindings_due_at timestamptz,
     state text NOT NULL,
     token_hash text NOT NULL CONSTRAINT app_token_hash UNIQUE,
     sealed_token bytea,
     previous_token_hash text,
     previous_token_until timestamptz,
     retired_token_hashes jsonb NOT NULL,
     signature jsonb,
     text_from text NOT NULL DEFAULT 'people',
     max_body_bytes integer NOT NULL,
     origin_marker text NOT NULL,
     has_reply_address boolean NOT NULL DEFAULT false,
     project_closed boolean NOT NULL DEFAULT false,
     self jsonb,
     renewal_failure jsonb,
     version integer NOT NULL,
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL
   )`,
  'CREATE INDEX app_by_project ON gateway.app (project_id, id)',
  'CREATE INDEX app_by_version ON gateway.app (version)',
  'CREATE INDEX app_bindings_due ON gateway.app (bindings_due_at) WHERE bindings_due_at IS NOT NULL',
  `CREATE UNIQUE INDEX app_one_per_provider ON gateway.app (project_id, provider) WHERE state <> 'retired'`,
  // Apps whose provider sends events for a limited time and has to be asked to go on.
  `CREATE TABLE gateway.webhook_renewal (
     app_id text CONSTRAINT webhook_renewal_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     due_at timestamptz NOT NULL,
     renewed_at timestamptz,
     expires_at timestamptz,
     error text,
     error_detail text
   )`,
  'CREATE INDEX webhook_renewal_due ON gateway.webhook_renewal (due_at)',
];
