import type { MigrationInterface, QueryRunner } from 'typeorm';

export class OauthGrants1763900000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [grants, attempts, events, revocations, flows, links, ...indexes]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE vault.connect_link, vault.oauth_flow, vault.revocation, vault.grant_event, vault.refresh_attempt,
         vault.oauth_grant`,
    );
  }
}

const ofCredential = (table: string): string =>
  `credential_id text NOT NULL CONSTRAINT ${table}_credential_fkey REFERENCES vault.credential (id) ON DELETE CASCADE`;

const grants = `
  CREATE TABLE vault.oauth_grant (
    ${ofCredential('oauth_grant')} CONSTRAINT oauth_grant_pkey PRIMARY KEY,
    organization_id text NOT NULL,
    project_id text NOT NULL,
    grant_type text NOT NULL,
    provider_slug text NOT NULL,
    inline_config jsonb,
    provider jsonb,
    client_key text,
    state text NOT NULL,
    reason text,
    version integer NOT NULL,
    kid text,
    wrapped_dek bytea,
    access_token bytea,
    refresh_token bytea,
    obtained_at timestamptz,
    at_expires_at timestamptz,
    refresh_due_at timestamptz NOT NULL,
    attempt_id text,
    attempt_heartbeat timestamptz,
    client_config_version integer NOT NULL,
    consecutive_failures integer NOT NULL,
    unanswered integer NOT NULL,
    next_try_at timestamptz NOT NULL,
    swept_at timestamptz,
    account text,
    scopes text[] NOT NULL,
    missing_scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`;

const attempts = `
  CREATE TABLE vault.refresh_attempt (
    id text CONSTRAINT refresh_attempt_pkey PRIMARY KEY,
    ${ofCredential('refresh_attempt')},
    organization_id text NOT NULL,
    base_version integer NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT now(),
    kid text,
    wrapped_dek bytea,
    response_ct bytea,
    status integer,
    error_class text,
    finished_at timestamptz
  )`;

const events = `
  CREATE TABLE vault.grant_event (
    id text CONSTRAINT grant_event_pkey PRIMARY KEY,
    ${ofCredential('grant_event')},
    from_state text NOT NULL,
    to_state text NOT NULL,
    reason text,
    at timestamptz NOT NULL DEFAULT now()
  )`;

const revocations = `
  CREATE TABLE vault.revocation (
    id text CONSTRAINT revocation_pkey PRIMARY KEY,
    organization_id text NOT NULL,
    credential_id text NOT NULL,
    provider jsonb NOT NULL,
    kid text NOT NULL,
    wrapped_dek bytea NOT NULL,
    sealed bytea NOT NULL,
    attempts integer NOT NULL,
    next_try_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`;

const flows = `
  CREATE TABLE vault.oauth_flow (
    id text CONSTRAINT oauth_flow_pkey PRIMARY KEY,
    ${ofCredential('oauth_flow')},
    organization_id text NOT NULL,
    project_id text NOT NULL,
    subject text NOT NULL,
    state_hash bytea NOT NULL,
    browser_hash bytea NOT NULL,
    provider jsonb NOT NULL,
    redirect_uri text NOT NULL,
    return_to text NOT NULL,
    kid text NOT NULL,
    wrapped_dek bytea NOT NULL,
    verifier bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    consumed_at timestamptz,
    unconfirmed_attempt text,
    created_at timestamptz NOT NULL DEFAULT now()
  )`;

const links = `
  CREATE TABLE vault.connect_link (
    id text CONSTRAINT connect_link_pkey PRIMARY KEY,
    ${ofCredential('connect_link')},
    organization_id text NOT NULL,
    project_id text NOT NULL,
    token_hash bytea NOT NULL,
    created_by text NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
  )`;

const indexes = [
  `CREATE INDEX oauth_grant_due_idx ON vault.oauth_grant (refresh_due_at) WHERE state IN ('active', 'degraded')`,
  'CREATE INDEX oauth_grant_client_idx ON vault.oauth_grant (client_key)',
  'CREATE INDEX oauth_grant_kid_idx ON vault.oauth_grant (kid)',
  'CREATE INDEX refresh_attempt_credential_idx ON vault.refresh_attempt (credential_id, base_version)',
  'CREATE INDEX refresh_attempt_sent_idx ON vault.refresh_attempt (sent_at)',
  'CREATE INDEX refresh_attempt_kid_idx ON vault.refresh_attempt (kid)',
  'CREATE INDEX grant_event_credential_idx ON vault.grant_event (credential_id, id)',
  'CREATE INDEX revocation_next_idx ON vault.revocation (next_try_at)',
  'CREATE INDEX revocation_kid_idx ON vault.revocation (kid)',
  'CREATE UNIQUE INDEX oauth_flow_state_key ON vault.oauth_flow (state_hash)',
  'CREATE INDEX oauth_flow_expires_idx ON vault.oauth_flow (expires_at)',
  'CREATE INDEX oauth_flow_kid_idx ON vault.oauth_flow (kid)',
  'CREATE UNIQUE INDEX connect_link_token_key ON vault.connect_link (token_hash)',
];
