import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Steps that wait for an event. The previous release has none. */
export class WorkflowStepWait1795890900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX workflow_step_wait ON engine.workflow_step (blocked_since) WHERE kind = 'wait' AND blocked_since IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.workflow_step_wait');
  }
}
