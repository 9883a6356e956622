import type { MigrationInterface, QueryRunner } from 'typeorm';
import { workColumns } from '#libs/work';

/** Steps of runs. The previous release starts none. */
export class WorkflowStep1795866167000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.workflow_step (
         id text NOT NULL,
         turn_id text NOT NULL,
         position integer NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         name text NOT NULL,
         kind text NOT NULL,
         input jsonb,
         output jsonb,
         content_trust text NOT NULL DEFAULT 'own',
         after_seq integer,
         started_at timestamptz,
         ${workColumns},
         CONSTRAINT workflow_step_pkey PRIMARY KEY (id),
         CONSTRAINT workflow_step_position UNIQUE (turn_id, position)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.workflow_step');
  }
}
