import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files of web chats: what visitors send, and what answers bring them. */
export class WebChatFile1795817000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE gateway.web_chat_file (
         app_id text NOT NULL,
         visitor text NOT NULL,
         id text NOT NULL,
         author text NOT NULL,
         name text NOT NULL,
         content_type text NOT NULL,
         size integer NOT NULL,
         content bytea NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT web_chat_file_pkey PRIMARY KEY (app_id, visitor, id)
       )`,
    );
    await runner.query('CREATE INDEX web_chat_file_age ON gateway.web_chat_file (created_at)');
    await runner.query('CREATE INDEX web_chat_file_of_app ON gateway.web_chat_file (app_id, created_at)');
    await runner.query('ALTER TABLE gateway.web_chat_message ADD COLUMN files jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.web_chat_message DROP COLUMN files');
    await runner.query('DROP TABLE gateway.web_chat_file');
  }
}
