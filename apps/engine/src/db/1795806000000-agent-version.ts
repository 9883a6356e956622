import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every change of an agent is a version. What the previous release changes meanwhile becomes one with the next change. */
export class AgentVersion1795806000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.agent ADD COLUMN version integer NOT NULL DEFAULT 1');
    await runner.query('ALTER TABLE engine.turn ADD COLUMN agent_version integer');
    await runner.query(
      `CREATE TABLE engine.agent_version (
         agent_id text NOT NULL,
         version integer NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         fields jsonb NOT NULL,
         based_on integer,
         note text NOT NULL,
         made_by text,
         created_at timestamptz NOT NULL DEFAULT now(),
         promoted_by text,
         promoted_at timestamptz,
         CONSTRAINT agent_version_pkey PRIMARY KEY (agent_id, version)
       )`,
    );
    await runner.query(
      `INSERT INTO engine.agent_version (agent_id, version, organization_id, project_id, fields, note, created_at, promoted_at)
       SELECT id, 1, organization_id, project_id,
              jsonb_build_object('name', name, 'instructions', instructions, 'model', model, 'fallback_model', fallback_model,
                'tools', to_jsonb(tools), 'skills', to_jsonb(skills), 'python_tools', to_jsonb(python_tools), 'may_do', may_do,
                'approvers', to_jsonb(approvers), 'approvers_decide_own', approvers_decide_own,
                'allowed_hosts', to_jsonb(allowed_hosts), 'caps', caps),
              '', updated_at, updated_at
         FROM engine.agent`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.agent_version');
    await runner.query('ALTER TABLE engine.turn DROP COLUMN agent_version');
    await runner.query('ALTER TABLE engine.agent DROP COLUMN version');
  }
}
