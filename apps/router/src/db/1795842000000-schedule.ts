import { workColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Workflows and agents start by the clock. The previous release neither reads the tables nor makes ticks. */
export class Schedule1795842000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE router.schedule (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         name text NOT NULL,
         cron text NOT NULL,
         time_zone text NOT NULL,
         workflow_id integer,
         agent_id text,
         message text NOT NULL,
         late_after_s integer NOT NULL,
         overlap text NOT NULL,
         catch_up text NOT NULL,
         active boolean NOT NULL,
         set_by text NOT NULL,
         planned_until timestamptz NOT NULL,
         created_at timestamptz NOT NULL,
         updated_at timestamptz NOT NULL,
         CONSTRAINT schedule_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query('CREATE INDEX schedule_by_project ON router.schedule (project_id, id)');
    await runner.query('CREATE INDEX schedule_to_plan ON router.schedule (planned_until) WHERE active');
    await runner.query(
      `CREATE TABLE router.schedule_tick (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         schedule_id text NOT NULL,
         at timestamptz NOT NULL,
         event_id text,
         run_id text,
         started_at timestamptz,
         ${workColumns},
         CONSTRAINT schedule_tick_pkey PRIMARY KEY (id),
         CONSTRAINT schedule_tick_at UNIQUE (schedule_id, at)
       )`,
    );
    await runner.query(
      `CREATE INDEX schedule_tick_due ON router.schedule_tick (due_at) WHERE state IN ('queued', 'running')`,
    );
    await runner.query(
      `CREATE INDEX schedule_tick_missed ON router.schedule_tick (project_id, at) WHERE state = 'missed'`,
    );
    await runner.query('CREATE INDEX schedule_tick_old ON router.schedule_tick (ended_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE router.schedule_tick');
    await runner.query('DROP TABLE router.schedule');
  }
}
