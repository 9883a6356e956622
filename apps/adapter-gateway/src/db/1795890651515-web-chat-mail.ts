import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers of web chats that go by mail to visitors who are away. An earlier release stores none, and ignores these. */
export class WebChatMail1795890651515 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE gateway.web_chat_conversation ADD COLUMN seen_seq integer NOT NULL DEFAULT 0,
         ADD COLUMN seen_at timestamptz`,
    );
    await runner.query(
      `CREATE TABLE gateway.web_chat_mail_setting (
         app_id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         mail_app_id text,
         subject text,
         updated_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT web_chat_mail_setting_pkey PRIMARY KEY (app_id)
       )`,
    );
    await runner.query(
      `CREATE TABLE gateway.web_chat_address (
         app_id text NOT NULL,
         visitor text NOT NULL,
         organization_id text NOT NULL,
         email text NOT NULL,
         verified_by text,
         off_at timestamptz,
         code_hash text,
         code_until timestamptz,
         code_tries integer NOT NULL DEFAULT 0,
         thread_id text NOT NULL,
         updated_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT web_chat_address_pkey PRIMARY KEY (app_id, visitor),
         CONSTRAINT web_chat_address_thread UNIQUE (thread_id)
       )`,
    );
    await runner.query(
      `CREATE TABLE gateway.web_chat_recipient (
         app_id text NOT NULL,
         email text NOT NULL,
         token text NOT NULL,
         off_at timestamptz,
         updated_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT web_chat_recipient_pkey PRIMARY KEY (app_id, email),
         CONSTRAINT web_chat_recipient_token UNIQUE (token)
       )`,
    );
    await runner.query(
      `CREATE TABLE gateway.web_chat_mail (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         app_id text NOT NULL,
         visitor text NOT NULL,
         kind text NOT NULL,
         message_id text,
         seq integer,
         receipt_id text,
         email text,
         network text,
         delivery_id text,
         created_at timestamptz NOT NULL DEFAULT now(),
         state text NOT NULL DEFAULT 'queued',
         claim integer NOT NULL DEFAULT 0,
         owner text,
         lease_until timestamptz,
         due_at timestamptz NOT NULL DEFAULT now(),
         tries integer NOT NULL DEFAULT 0,
         blocked_since timestamptz,
         reason text,
         ended_at timestamptz,
         deaths integer NOT NULL DEFAULT 0,
         on_trial boolean NOT NULL DEFAULT false,
         CONSTRAINT web_chat_mail_pkey PRIMARY KEY (id),
         CONSTRAINT web_chat_mail_once UNIQUE (app_id, visitor, message_id)
       )`,
    );
    const index = (name: string, rest: string) =>
      runner.query(`CREATE INDEX web_chat_mail_${name} ON gateway.web_chat_mail ${rest}`);
    await index('due', `(due_at) WHERE state IN ('queued', 'running')`);
    await index('handed', `(created_at) WHERE state = 'handed'`);
    await index('of_address', '(organization_id, email, created_at)');
    await index('of_network', '(network, created_at)');
    await index('age', '(created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['mail', 'recipient', 'address', 'mail_setting']) {
      await runner.query(`DROP TABLE gateway.web_chat_${table}`);
    }
    await runner.query('ALTER TABLE gateway.web_chat_conversation DROP COLUMN seen_seq, DROP COLUMN seen_at');
  }
}
