import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People mute and resolve causes of dead letters. The previous release does not read the table. */
export class ProblemMark1795808000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE router.problem_mark (
         project_id text NOT NULL,
         id text NOT NULL,
         app_id text NOT NULL,
         stage text NOT NULL,
         reason text,
         mark text NOT NULL,
         muted_until timestamptz,
         made_at timestamptz NOT NULL,
         made_by text NOT NULL,
         CONSTRAINT problem_mark_pkey PRIMARY KEY (project_id, id)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE router.problem_mark');
  }
}
