import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sets of cases with a name. The previous release does not know them. */
export class CaseSet1795866000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.case_set (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         agent_id text NOT NULL,
         name text NOT NULL,
         turn_ids text[] NOT NULL,
         rules jsonb NOT NULL,
         made_by text NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT case_set_pkey PRIMARY KEY (id),
         CONSTRAINT case_set_name UNIQUE (agent_id, name)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.case_set');
  }
}
