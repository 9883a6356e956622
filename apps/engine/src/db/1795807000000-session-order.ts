import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions are listed by their newest message. The previous release has no use for the index. */
export class SessionOrder1795807000000 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, {
      name: 'engine.session_by_message',
      on: 'engine.session (project_id, updated_at, id)',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLargeIndex(runner, 'engine.session_by_message');
  }
}
