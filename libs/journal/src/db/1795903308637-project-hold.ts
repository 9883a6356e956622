import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projects in which nothing begins, because they are on their way to another installation, or from one. */
export class ProjectHold1795903308637 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE journal.project_hold (
         project_id text CONSTRAINT project_hold_pkey PRIMARY KEY,
         organization_id text NOT NULL,
         state text NOT NULL,
         peer text,
         held_by text NOT NULL,
         held_at timestamptz NOT NULL DEFAULT now(),
         changed_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal.project_hold');
  }
}
