import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions are listed by their newest message. The previous release has no use for the index. */
export class SessionOrder1795807000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX session_by_message ON engine.session (project_id, updated_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.session_by_message');
  }
}
