import { createLimitTable, dropLimitTable } from '#libs/project-limits';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the portal tells of projects' own limits. */
export class ProjectLimits1765000000202 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(createLimitTable('gateway'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropLimitTable('gateway'));
  }
}
