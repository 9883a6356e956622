import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A project's own limits. */
export class ProjectLimits1765000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("ALTER TABLE portal.project ADD limits jsonb NOT NULL DEFAULT '{}'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE portal.project DROP limits');
  }
}
