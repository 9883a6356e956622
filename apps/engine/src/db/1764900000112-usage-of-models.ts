import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each model was used for in a day: beside the usage of agents and contacts, whose rows know no model. */
export class UsageOfModels1764900000112 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE engine.model_usage (
        project_id text NOT NULL,
        day date NOT NULL,
        model text NOT NULL,
        organization_id text NOT NULL,
        model_calls integer NOT NULL,
        input_tokens bigint NOT NULL,
        output_tokens bigint NOT NULL,
        cost_micros bigint NOT NULL,
        CONSTRAINT model_usage_pkey PRIMARY KEY (project_id, day, model))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.model_usage');
  }
}
