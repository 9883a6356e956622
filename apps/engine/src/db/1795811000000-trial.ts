import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversations in which people try an agent. Their turns are turns; the previous release makes none. */
export class Trial1795811000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.trial (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         agent_id text NOT NULL,
         made_by text NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT trial_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query('CREATE INDEX trial_old ON engine.trial (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.trial');
  }
}
