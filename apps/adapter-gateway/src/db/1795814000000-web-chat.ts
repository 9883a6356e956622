import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversations of web chats: no provider keeps them. */
export class WebChat1795814000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE gateway.web_chat_conversation (
         app_id text NOT NULL,
         visitor text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         last_seq integer NOT NULL,
         updated_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT web_chat_conversation_pkey PRIMARY KEY (app_id, visitor)
       )`,
    );
    await runner.query(
      `CREATE TABLE gateway.web_chat_message (
         app_id text NOT NULL,
         visitor text NOT NULL,
         seq integer NOT NULL,
         author text NOT NULL,
         id text NOT NULL,
         text text NOT NULL,
         format text NOT NULL,
         actions jsonb,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT web_chat_message_pkey PRIMARY KEY (app_id, visitor, seq),
         CONSTRAINT web_chat_message_once UNIQUE (app_id, visitor, author, id)
       )`,
    );
    await runner.query('CREATE INDEX web_chat_message_age ON gateway.web_chat_message (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.web_chat_message');
    await runner.query('DROP TABLE gateway.web_chat_conversation');
  }
}
