import { workColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents that others may ask, and what they have asked. The previous release has none of these tables. */
export class AgentTask1795905856508 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.publication (
         agent_id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         name text NOT NULL,
         description text NOT NULL,
         examples text[] NOT NULL DEFAULT '{}',
         published_by text NOT NULL,
         published_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT publication_pkey PRIMARY KEY (agent_id),
         CONSTRAINT publication_name UNIQUE (project_id, name)
       )`,
    );
    await runner.query(
      `CREATE TABLE engine.agent_task (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         agent_id text NOT NULL,
         caller text NOT NULL,
         protocol text NOT NULL,
         context_id text NOT NULL,
         message_id text NOT NULL,
         receipt_id text NOT NULL,
         turn_id text,
         refusal text,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT agent_task_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query('CREATE INDEX agent_task_caller ON engine.agent_task (project_id, caller, id)');
    await runner.query('CREATE INDEX agent_task_turn ON engine.agent_task (turn_id)');
    await runner.query('CREATE INDEX agent_task_age ON engine.agent_task (created_at)');
    await runner.query(
      `CREATE TABLE engine.task_push (
         id text NOT NULL,
         task_id text NOT NULL,
         name text NOT NULL,
         url text NOT NULL,
         secrets text,
         reported text NOT NULL DEFAULT 'submitted',
         created_at timestamptz NOT NULL DEFAULT now(),
         ${workColumns},
         CONSTRAINT task_push_pkey PRIMARY KEY (id),
         CONSTRAINT task_push_name UNIQUE (task_id, name)
       )`,
    );
    await runner.query(
      `CREATE INDEX task_push_due ON engine.task_push (due_at) WHERE "state" IN ('queued', 'running')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.task_push');
    await runner.query('DROP TABLE engine.agent_task');
    await runner.query('DROP TABLE engine.publication');
  }
}
