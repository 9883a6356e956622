import { changeTriggers, dropChangeTriggers } from '#libs/database';
import { handoverTables } from '#libs/journal';
import { createLimitTable, dropLimitTable } from '#libs/project-limits';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Router1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = [...messages, ...channels, ...contacts, ...workflows, ...requests, createLimitTable('router')];
    for (const statement of [...tables, ...announcedChanges]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChangeTriggers('router'));
    await runner.query(dropLimitTable('router'));
    await runner.query(
      `DROP TABLE router.request_key, router.debounce, router.trigger_window, router.trigger, router.workflow,
         router.pairing_code, router.contact_day, router.contact_identity, router.contact, router.channel,
         router.outbound, router.stale_handover, router.handover_mark, router.message, router.claim`,
    );
  }
}

const messages = [
  // Claims are stored as a digest of their App and dedup key: a quarter of the bytes, of one length.
  `CREATE TABLE router.claim (
     key uuid CONSTRAINT claim_key PRIMARY KEY,
     message_id text NOT NULL,
     receipt_id text NOT NULL,
     claimed_at timestamptz NOT NULL
   )`,
  'CREATE INDEX claim_by_time ON router.claim USING brin (claimed_at)',
  // The engine has sessions, turns and runs. A message keeps what it handed over until the engine has recorded it.
  `CREATE TABLE router.message (
     id text CONSTRAINT message_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     app_id text NOT NULL,
     receipt_id text NOT NULL,
     verified boolean NOT NULL,
     text_from text NOT NULL DEFAULT 'people',
     message jsonb NOT NULL,
     request jsonb,
     outcome text NOT NULL,
     reason text,
     verdicts jsonb NOT NULL,
     unlisted_verdicts integer NOT NULL,
     app_kind text NOT NULL,
     app_sends boolean NOT NULL DEFAULT true,
     chief_of_staff text,
     reply_withheld text,
     contact_id text,
     sanitizer_report jsonb,
     released_at timestamptz,
     released_by text,
     created_at timestamptz NOT NULL,
     turns jsonb NOT NULL DEFAULT '[]',
     routed_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE INDEX message_by_receipt ON router.message (receipt_id)',
  `CREATE INDEX message_held ON router.message (project_id, id)
     WHERE outcome NOT IN ('routed', 'no_match') AND released_at IS NULL`,
  'CREATE INDEX message_by_contact ON router.message (contact_id, id) WHERE contact_id IS NOT NULL',
  'CREATE INDEX message_by_app ON router.message (app_id, id)',
  `CREATE INDEX message_handed ON router.message (routed_at) WHERE turns <> '[]'`,
  ...handoverTables('router'),
  // What was sent, and how it is recognised when it comes back.
  `CREATE TABLE router.outbound (
     app_id text NOT NULL,
     key text NOT NULL,
     at timestamptz NOT NULL,
     PRIMARY KEY (app_id, key)
   )`,
  'CREATE INDEX ON router.outbound USING brin (at)',
];

const channels = [
  `CREATE TABLE router.channel (
     app_id text CONSTRAINT channel_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     agent_id text,
     route_policy text NOT NULL DEFAULT 'both',
     bots text NOT NULL DEFAULT 'triggers_only',
     automatic text NOT NULL DEFAULT 'triggers_only',
     reply_address text,
     session_scope text NOT NULL,
     unknown_senders text,
     inbox_mode text,
     idle_reset_minutes integer,
     daily_reset_hour integer,
     failure_notice text,
     reply_ttl_seconds integer,
     updated_at timestamptz NOT NULL
   )`,
];

const contacts = [
  `CREATE TABLE router.contact (
     id text CONSTRAINT contact_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     name text NOT NULL,
     status text NOT NULL,
     daily_budget integer,
     merged_into text,
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL
   )`,
  'CREATE INDEX contact_by_project ON router.contact (project_id, id)',
  // Updated by every message, so its pages keep free space.
  `CREATE TABLE router.contact_identity (
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
   ) WITH (fillfactor = 70)`,
  'CREATE INDEX contact_identity_by_contact ON router.contact_identity (contact_id)',
  'CREATE INDEX contact_identity_by_home ON router.contact_identity (home_id)',
  // What counts against a contact's daily budget.
  `CREATE TABLE router.contact_day (
     contact_id text NOT NULL,
     day date NOT NULL,
     messages integer NOT NULL,
     PRIMARY KEY (contact_id, day)
   )`,
  `CREATE TABLE router.pairing_code (
     app_id text NOT NULL,
     code_hash text NOT NULL,
     made_by text NOT NULL,
     expires_at timestamptz NOT NULL,
     used_at timestamptz,
     PRIMARY KEY (app_id, code_hash)
   )`,
];

/** Workflows and their triggers. A trigger's runs are counted by window, and may wait for more messages. */
const workflows = [
  `CREATE TABLE router.workflow (
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
   )`,
  `CREATE TABLE router.trigger (
     id text CONSTRAINT trigger_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     app_id text NOT NULL,
     workflow_id integer NOT NULL,
     event_types jsonb NOT NULL,
     "where" text,
     limit_per_minute integer,
     contact_limit_per_hour integer,
     debounce_seconds integer,
     debounce_max_seconds integer,
     active boolean NOT NULL,
     created_at timestamptz NOT NULL
   )`,
  'CREATE INDEX trigger_by_project ON router.trigger (project_id, app_id)',
  `CREATE TABLE router.trigger_window (
     trigger_id text NOT NULL,
     scope text NOT NULL,
     starts_at timestamptz NOT NULL,
     runs integer NOT NULL,
     PRIMARY KEY (trigger_id, scope, starts_at)
   )`,
  'CREATE INDEX ON router.trigger_window (starts_at)',
  `CREATE TABLE router.debounce (
     trigger_id text NOT NULL,
     scope text NOT NULL,
     turn_id text NOT NULL,
     turn jsonb NOT NULL,
     due_at timestamptz NOT NULL,
     max_at timestamptz NOT NULL,
     PRIMARY KEY (trigger_id, scope)
   )`,
  'CREATE INDEX ON router.debounce (due_at)',
  'CREATE INDEX ON router.debounce (turn_id)',
];

/** Keys of requests that create work, with their answers. */
const requests = [
  `CREATE TABLE router.request_key (
     project_id text NOT NULL,
     key text NOT NULL,
     request text NOT NULL,
     answer jsonb,
     created_at timestamptz NOT NULL,
     PRIMARY KEY (project_id, key)
   )`,
];

/** Every replica caches the rules of projects until it hears of a change. */
const announcedChanges = changeTriggers('router', [
  { table: 'workflow', topic: 'rules', key: 'project_id' },
  { table: 'trigger', topic: 'rules', key: 'project_id' },
  { table: 'channel', topic: 'rules', key: 'project_id' },
]);
