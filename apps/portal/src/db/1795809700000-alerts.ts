import { workColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Alert rules, what they see, and what they send. The previous release does not read the tables. */
export class Alerts1795809700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of created) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE portal.alert, portal.alert_watch, portal.alert_cause, portal.alert_rule, portal.attention_mute',
    );
  }
}

const created = [
  `CREATE TABLE portal.attention_mute (
     project_id text NOT NULL,
     cause text NOT NULL,
     organization_id text NOT NULL,
     muted_until timestamptz NOT NULL,
     made_by text NOT NULL,
     CONSTRAINT attention_mute_pkey PRIMARY KEY (project_id, cause)
   )`,
  `CREATE TABLE portal.alert_rule (
     id text CONSTRAINT alert_rule_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     name text NOT NULL,
     enabled boolean NOT NULL DEFAULT true,
     codes jsonb,
     rate jsonb,
     receivers jsonb NOT NULL,
     quiet jsonb,
     after_minutes integer NOT NULL,
     still_minutes integer NOT NULL,
     muted_until timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE INDEX alert_rule_project_idx ON portal.alert_rule (project_id, id)',
  `CREATE TABLE portal.alert_cause (
     rule_id text NOT NULL CONSTRAINT alert_cause_rule_fkey REFERENCES portal.alert_rule ON DELETE CASCADE,
     cause text NOT NULL,
     service text NOT NULL,
     code text NOT NULL,
     severity text NOT NULL,
     text text NOT NULL,
     what_to_do text NOT NULL,
     opened_at timestamptz NOT NULL,
     announced integer NOT NULL DEFAULT 0,
     still_at timestamptz,
     gone_since timestamptz,
     CONSTRAINT alert_cause_pkey PRIMARY KEY (rule_id, cause)
   )`,
  `CREATE TABLE portal.alert_watch (
     project_id text CONSTRAINT alert_watch_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     ${workColumns}
   )`,
  "CREATE INDEX alert_watch_due_idx ON portal.alert_watch (due_at) WHERE state IN ('queued', 'running')",
  `CREATE TABLE portal.alert (
     id text CONSTRAINT alert_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     rule_id text NOT NULL,
     rule_name text NOT NULL,
     once text NOT NULL,
     kind text NOT NULL,
     cause text NOT NULL,
     code text NOT NULL,
     severity text NOT NULL,
     text text NOT NULL,
     what_to_do text NOT NULL,
     since timestamptz NOT NULL,
     receiver jsonb NOT NULL,
     message jsonb NOT NULL,
     delivery_id text,
     error_detail text,
     created_at timestamptz NOT NULL DEFAULT now(),
     ${workColumns}
   )`,
  'CREATE UNIQUE INDEX alert_once_key ON portal.alert (once)',
  'CREATE INDEX alert_project_idx ON portal.alert (project_id, id)',
  "CREATE INDEX alert_due_idx ON portal.alert (due_at) WHERE state IN ('queued', 'running')",
];
