import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A contact over the day's budget is informed once a day. The previous release does not read the column. */
export class BudgetNotice1795704900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.usage ADD COLUMN budget_notice boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.usage DROP COLUMN budget_notice');
  }
}
