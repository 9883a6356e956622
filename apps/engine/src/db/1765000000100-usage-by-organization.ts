import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An export of all projects of an organization reads its rows in their order. */
export class UsageByOrganization1765000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX usage_by_organization ON engine.usage (organization_id, project_id, day)');
    await runner.query(
      'CREATE INDEX model_usage_by_organization ON engine.model_usage (organization_id, project_id, day)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.usage_by_organization, engine.model_usage_by_organization');
  }
}
