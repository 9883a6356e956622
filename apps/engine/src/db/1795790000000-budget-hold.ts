import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What running turns may still use of a day's budget. */
export class BudgetHold1795790000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.budget_hold (
         turn_id text NOT NULL,
         project_id text NOT NULL,
         agent_id text NOT NULL,
         contact_id text NOT NULL,
         tokens bigint NOT NULL,
         cost_micros bigint NOT NULL,
         CONSTRAINT budget_hold_pkey PRIMARY KEY (turn_id)
       )`,
    );
    await runner.query('CREATE INDEX budget_hold_by_agent ON engine.budget_hold (project_id, agent_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.budget_hold');
  }
}
