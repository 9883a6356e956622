import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a workflow's waiting runs were last given up: one that is on its way meanwhile is ended when it comes. */
export class Discards1764800000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE engine.workflow_release ADD discarded_at timestamptz NOT NULL DEFAULT '-infinity'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.workflow_release DROP COLUMN discarded_at');
  }
}
