import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is over the retention is found without reading what is not; old turns are found by their ids. */
export class Retention1764800000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX session_old ON engine.session (updated_at)');
    await runner.query('CREATE INDEX session_mark_old ON engine.session_mark (at)');
    await runner.query('CREATE INDEX request_key_old ON engine.request_key (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.session_old, engine.session_mark_old, engine.request_key_old');
  }
}
