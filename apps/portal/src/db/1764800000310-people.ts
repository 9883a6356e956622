import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users, what they are members of, and how they sign in; projects that close; keys that members make. */
export class People1764800000310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE portal.user_account (
        id text CONSTRAINT user_account_pkey PRIMARY KEY,
        email text,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE UNIQUE INDEX user_account_email_key ON portal.user_account (email)');
    await runner.query(`
      CREATE TABLE portal.user_identity (
        issuer text NOT NULL,
        subject text NOT NULL,
        user_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT user_identity_pkey PRIMARY KEY (issuer, subject)
      )`);
    await runner.query(`
      CREATE TABLE portal.member (
        organization_id text NOT NULL,
        user_id text NOT NULL,
        name text NOT NULL,
        role text NOT NULL,
        suspended_at timestamptz,
        last_seen_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT member_pkey PRIMARY KEY (organization_id, user_id)
      )`);
    await runner.query('CREATE INDEX member_user_idx ON portal.member (user_id)');
    await runner.query(`
      CREATE TABLE portal.sign_in_link (
        id text CONSTRAINT sign_in_link_pkey PRIMARY KEY,
        hash bytea NOT NULL,
        user_id text NOT NULL,
        organization_id text,
        made_by text NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE UNIQUE INDEX sign_in_link_hash_key ON portal.sign_in_link (hash)');
    await runner.query('CREATE INDEX sign_in_link_user_idx ON portal.sign_in_link (user_id)');
    await runner.query(`
      CREATE TABLE portal.member_session (
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
      )`);
    await runner.query('CREATE UNIQUE INDEX member_session_hash_key ON portal.member_session (hash)');
    await runner.query('CREATE INDEX member_session_user_idx ON portal.member_session (user_id, id)');
    await runner.query('ALTER TABLE portal.project ADD closed_at timestamptz');
    await runner.query('ALTER TABLE portal.api_key ADD made_by_user_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE portal.api_key DROP made_by_user_id');
    await runner.query('ALTER TABLE portal.project DROP closed_at');
    await runner.query(
      'DROP TABLE portal.member_session, portal.sign_in_link, portal.member, portal.user_identity, portal.user_account',
    );
  }
}
