import { changeTriggers, dropChangeTriggers } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Vault1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [...credentials, ...grants, ...revocations, ...authorizations, ...notifications];
    for (const statement of [...tables, ...announcedChanges]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChangeTriggers('vault'));
    await runner.query(
      `DROP TABLE vault.notification, vault.notification_target, vault.connect_link, vault.oauth_flow,
         vault.revocation, vault.grant_event, vault.refresh_attempt, vault.oauth_grant, vault.credential_audit,
         vault.credential_binding, vault.credential_field, vault.credential, vault.kek_sentinel`,
    );
  }
}

const ofCredential = (table: string): string =>
  `credential_id text NOT NULL CONSTRAINT ${table}_credential_fkey REFERENCES vault.credential (id) ON DELETE CASCADE`;

const credentials = [
  `CREATE TABLE vault.kek_sentinel (
     kid text CONSTRAINT kek_sentinel_pkey PRIMARY KEY,
     sealed bytea NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE TABLE vault.credential (
     id text CONSTRAINT credential_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     name text NOT NULL,
     type text NOT NULL,
     "grant" text,
     declared_fields jsonb,
     adapter_slug text,
     kid text NOT NULL,
     wrapped_dek bytea NOT NULL,
     dek_made_at timestamptz NOT NULL DEFAULT now(),
     generation integer NOT NULL,
     status text NOT NULL,
     reason text,
     account jsonb,
     account_fingerprint text,
     managed_for text,
     notification_failure jsonb,
     last_verified_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE UNIQUE INDEX credential_project_name_key ON vault.credential (organization_id, project_id, name)',
  'CREATE INDEX credential_kid_idx ON vault.credential (kid)',
  'CREATE INDEX credential_dek_made_at_idx ON vault.credential (dek_made_at)',
  `CREATE TABLE vault.credential_field (
     ${ofCredential('credential_field')},
     field text NOT NULL,
     sealed bytea NOT NULL,
     generation integer NOT NULL,
     CONSTRAINT credential_field_pkey PRIMARY KEY (credential_id, field)
   )`,
  // A bound credential cannot be deleted.
  `CREATE TABLE vault.credential_binding (
     id text CONSTRAINT credential_binding_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     credential_id text NOT NULL
       CONSTRAINT credential_binding_credential_fkey REFERENCES vault.credential (id) ON DELETE RESTRICT,
     consumer_kind text NOT NULL,
     consumer_id text NOT NULL,
     fields text[],
     maps_to jsonb NOT NULL,
     approved jsonb NOT NULL,
     signing text[],
     created_by text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE UNIQUE INDEX credential_binding_consumer_key
     ON vault.credential_binding (credential_id, consumer_kind, consumer_id)`,
  `CREATE INDEX credential_binding_by_consumer_idx
     ON vault.credential_binding (organization_id, project_id, consumer_kind, consumer_id)`,
  // Outlives the credential.
  `CREATE TABLE vault.credential_audit (
     id text CONSTRAINT credential_audit_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     credential_id text NOT NULL,
     at timestamptz NOT NULL DEFAULT now(),
     actor text NOT NULL,
     action text NOT NULL,
     fields text[] NOT NULL,
     reason text,
     consumer text,
     times integer NOT NULL
   )`,
  `CREATE INDEX credential_audit_of_credential_idx
     ON vault.credential_audit (organization_id, project_id, credential_id, id)`,
];

/** Tokens of OAuth credentials, and every request that renews them. */
const grants = [
  `CREATE TABLE vault.oauth_grant (
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
     refused_version integer,
     refused_at timestamptz,
     next_try_at timestamptz NOT NULL,
     swept_at timestamptz,
     account text,
     scopes text[] NOT NULL,
     missing_scopes text[] NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE INDEX oauth_grant_due_idx ON vault.oauth_grant (refresh_due_at) WHERE state IN ('active', 'degraded')`,
  'CREATE INDEX oauth_grant_client_idx ON vault.oauth_grant (client_key)',
  'CREATE INDEX oauth_grant_kid_idx ON vault.oauth_grant (kid)',
  `CREATE TABLE vault.refresh_attempt (
     id text CONSTRAINT refresh_attempt_pkey PRIMARY KEY,
     ${ofCredential('refresh_attempt')},
     organization_id text NOT NULL,
     base_version integer NOT NULL,
     provider jsonb,
     sent_at timestamptz NOT NULL DEFAULT now(),
     kid text,
     wrapped_dek bytea,
     response_ct bytea,
     status integer,
     error_class text,
     finished_at timestamptz
   )`,
  'CREATE INDEX refresh_attempt_credential_idx ON vault.refresh_attempt (credential_id, base_version)',
  'CREATE INDEX refresh_attempt_sent_idx ON vault.refresh_attempt (sent_at)',
  'CREATE INDEX refresh_attempt_kid_idx ON vault.refresh_attempt (kid)',
  `CREATE TABLE vault.grant_event (
     id text CONSTRAINT grant_event_pkey PRIMARY KEY,
     ${ofCredential('grant_event')},
     from_state text NOT NULL,
     to_state text NOT NULL,
     reason text,
     at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE INDEX grant_event_credential_idx ON vault.grant_event (credential_id, id)',
];

/** Written in the transaction that gives the tokens up. Outlives the credential. */
const revocations = [
  `CREATE TABLE vault.revocation (
     id text CONSTRAINT revocation_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL DEFAULT '',
     credential_id text NOT NULL,
     provider jsonb NOT NULL,
     kid text NOT NULL,
     wrapped_dek bytea NOT NULL,
     sealed bytea NOT NULL,
     reason text NOT NULL DEFAULT 'deleted',
     attempts integer NOT NULL,
     next_try_at timestamptz NOT NULL,
     last_error text,
     gave_up_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE INDEX revocation_next_idx ON vault.revocation (next_try_at)',
  'CREATE INDEX revocation_kid_idx ON vault.revocation (kid)',
  'CREATE INDEX revocation_project_idx ON vault.revocation (organization_id, project_id, id)',
];

/** Open authorizations, and links with which somebody without an account here starts one. */
const authorizations = [
  `CREATE TABLE vault.oauth_flow (
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
   )`,
  'CREATE UNIQUE INDEX oauth_flow_state_key ON vault.oauth_flow (state_hash)',
  'CREATE INDEX oauth_flow_expires_idx ON vault.oauth_flow (expires_at)',
  'CREATE INDEX oauth_flow_kid_idx ON vault.oauth_flow (kid)',
  `CREATE TABLE vault.connect_link (
     id text CONSTRAINT connect_link_pkey PRIMARY KEY,
     ${ofCredential('connect_link')},
     organization_id text NOT NULL,
     project_id text NOT NULL,
     token_hash bytea NOT NULL,
     created_by text NOT NULL,
     expires_at timestamptz NOT NULL,
     used_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE UNIQUE INDEX connect_link_token_key ON vault.connect_link (token_hash)',
];

const notifications = [
  `CREATE TABLE vault.notification_target (
     project_id text CONSTRAINT notification_target_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     url text NOT NULL,
     kid text NOT NULL,
     wrapped_dek bytea NOT NULL,
     secret bytea NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE INDEX notification_target_kid_idx ON vault.notification_target (kid)',
  `CREATE TABLE vault.notification (
     id text CONSTRAINT notification_pkey PRIMARY KEY,
     project_id text NOT NULL CONSTRAINT notification_target_fkey
       REFERENCES vault.notification_target (project_id) ON DELETE CASCADE,
     credential_id text NOT NULL,
     body text NOT NULL,
     attempts integer NOT NULL DEFAULT 0,
     next_try_at timestamptz NOT NULL DEFAULT now(),
     error text,
     given_up_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE INDEX notification_next_idx ON vault.notification (next_try_at) WHERE given_up_at IS NULL',
  'CREATE INDEX notification_project_idx ON vault.notification (project_id, credential_id)',
];

/**
 * Every replica caches credentials, still sealed, until it is notified of a change; services that use them cache what
 * they were given, tokens included.
 */
const announcedChanges = changeTriggers('vault', [
  {
    table: 'credential',
    topic: 'credential',
    key: 'id',
    // The cache contains none of these.
    except: ['reason', 'account', 'account_fingerprint', 'notification_failure', 'last_verified_at', 'updated_at'],
  },
  { table: 'credential_field', topic: 'credential', key: 'credential_id' },
  { table: 'credential_binding', topic: 'credential', key: 'credential_id' },
  {
    table: 'oauth_grant',
    topic: 'credential',
    key: 'credential_id',
    // Everything but the tokens, and whether they may be used.
    except: [
      'provider',
      'client_key',
      'reason',
      'kid',
      'wrapped_dek',
      'refresh_due_at',
      'attempt_id',
      'attempt_heartbeat',
      'client_config_version',
      'consecutive_failures',
      'unanswered',
      'refused_version',
      'refused_at',
      'next_try_at',
      'swept_at',
      'account',
      'scopes',
      'missing_scopes',
    ],
  },
]);
