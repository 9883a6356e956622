import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people need to share conversations: who has read and has which, notes, and answers that are ready. */
export class Inbox1795855000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.session ADD COLUMN assigned_to text');
    await runner.query(
      `CREATE TABLE engine.session_seen (
         session_id text NOT NULL,
         subject text NOT NULL,
         seen_at timestamptz NOT NULL,
         CONSTRAINT session_seen_pkey PRIMARY KEY (session_id, subject)
       )`,
    );
    await runner.query(
      `CREATE TABLE engine.session_note (
         id text NOT NULL,
         session_id text NOT NULL,
         made_by text NOT NULL,
         text text NOT NULL,
         at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT session_note_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query('CREATE INDEX session_note_by_session ON engine.session_note (session_id, id)');
    await runner.query(
      `CREATE TABLE engine.canned_answer (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         name text NOT NULL,
         text text NOT NULL,
         made_by text NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT canned_answer_pkey PRIMARY KEY (id),
         CONSTRAINT canned_answer_name UNIQUE (project_id, name)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.canned_answer');
    await runner.query('DROP TABLE engine.session_note');
    await runner.query('DROP TABLE engine.session_seen');
    await runner.query('ALTER TABLE engine.session DROP COLUMN assigned_to');
  }
}
