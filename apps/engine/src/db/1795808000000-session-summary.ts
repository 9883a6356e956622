import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What earlier turns said, in short, and how much models take. The previous release reads neither. */
export class SessionSummary1795808000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.session_summary (
         session_id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         through_turn_id text NOT NULL,
         turns integer NOT NULL,
         text text NOT NULL,
         content_trust text NOT NULL,
         model text NOT NULL,
         made_at timestamptz NOT NULL DEFAULT now(),
         corrected_by text,
         corrected_at timestamptz,
         revision integer NOT NULL DEFAULT 1,
         CONSTRAINT session_summary_pkey PRIMARY KEY (session_id)
       )`,
    );
    await runner.query(
      `CREATE TABLE engine.model_window (
         project_id text NOT NULL,
         model text NOT NULL,
         chars integer NOT NULL,
         learned_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT model_window_pkey PRIMARY KEY (project_id, model)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.model_window');
    await runner.query('DROP TABLE engine.session_summary');
  }
}
