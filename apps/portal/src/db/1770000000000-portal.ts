import { createAuditTable, dropAuditTable } from '#libs/audit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Portal1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...tenants, ...people, ...signIn, ...keys, ...createAuditTable('portal')]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditTable('portal')) await runner.query(statement);
    await runner.query(
      `DROP TABLE portal.api_key, portal.member_session, portal.sign_in_link, portal.user_identity, portal.member,
         portal.user_account, portal.project, portal.organization`,
    );
  }
}

const tenants = [
  `CREATE TABLE portal.organization (
     id text CONSTRAINT organization_pkey PRIMARY KEY,
     name text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  `CREATE TABLE portal.project (
     id text CONSTRAINT project_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     name text NOT NULL,
     closed_at timestamptz,
     limits jsonb NOT NULL DEFAULT '{}',
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE INDEX project_organization_idx ON portal.project (organization_id, id)',
];

/** Users and their memberships. */
const people = [
  `CREATE TABLE portal.user_account (
     id text CONSTRAINT user_account_pkey PRIMARY KEY,
     email text,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE UNIQUE INDEX user_account_email_key ON portal.user_account (email)',
  `CREATE TABLE portal.member (
     organization_id text NOT NULL,
     user_id text NOT NULL,
     name text NOT NULL,
     role text NOT NULL,
     suspended_at timestamptz,
     last_seen_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT member_pkey PRIMARY KEY (organization_id, user_id)
   )`,
  'CREATE INDEX member_user_idx ON portal.member (user_id)',
];

/** How users sign in, and their sessions. */
const signIn = [
  `CREATE TABLE portal.user_identity (
     issuer text NOT NULL,
     subject text NOT NULL,
     user_id text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     CONSTRAINT user_identity_pkey PRIMARY KEY (issuer, subject)
   )`,
  `CREATE TABLE portal.sign_in_link (
     id text CONSTRAINT sign_in_link_pkey PRIMARY KEY,
     hash bytea NOT NULL,
     user_id text NOT NULL,
     organization_id text,
     made_by text NOT NULL,
     expires_at timestamptz NOT NULL,
     used_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE UNIQUE INDEX sign_in_link_hash_key ON portal.sign_in_link (hash)',
  'CREATE INDEX sign_in_link_user_idx ON portal.sign_in_link (user_id)',
  `CREATE TABLE portal.member_session (
     id text CONSTRAINT member_session_pkey PRIMARY KEY,
     hash bytea NOT NULL,
     user_id text NOT NULL,
     organization_id text,
     method text NOT NULL,
     user_agent text,
     address text NOT NULL,
     expires_at timestamptz NOT NULL,
     last_used_at timestamptz NOT NULL DEFAULT now(),
     revoked_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE UNIQUE INDEX member_session_hash_key ON portal.member_session (hash)',
  'CREATE INDEX member_session_user_idx ON portal.member_session (user_id, id)',
];

/** A key records what made it: another key, or a member. */
const keys = [
  `CREATE TABLE portal.api_key (
     id text CONSTRAINT api_key_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     name text NOT NULL,
     hash bytea NOT NULL,
     last4 text NOT NULL,
     scopes text[] NOT NULL,
     made_by_key_id text,
     made_by_user_id text,
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now()
   )`,
  'CREATE UNIQUE INDEX api_key_hash_key ON portal.api_key (hash)',
  'CREATE INDEX api_key_project_idx ON portal.api_key (organization_id, project_id, id)',
  'CREATE INDEX api_key_made_by_idx ON portal.api_key (made_by_key_id)',
];
