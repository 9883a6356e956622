import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the project of an App is closed, as the portal said: then it takes no webhooks. */
export class ClosedProjects1764900000111 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.app ADD COLUMN project_closed boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.app DROP COLUMN project_closed');
  }
}
