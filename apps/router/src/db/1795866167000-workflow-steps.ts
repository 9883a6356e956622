import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a workflow declares its runs to do, step by step. The previous release does not read the column. */
export class WorkflowSteps1795866167000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.workflow ADD COLUMN steps jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.workflow DROP COLUMN steps');
  }
}
