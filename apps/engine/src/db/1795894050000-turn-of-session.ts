import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A turn outside of conversations has no entry in the index of their turns. The previous release finds turns by this one
 * as well: it always asks for a session.
 */
export class TurnOfSession1795894050000 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, {
      name: 'engine.turn_of_session',
      on: 'engine.turn (session_id, id) WHERE session_id IS NOT NULL',
    });
    await dropLargeIndex(runner, 'engine.turn_session');
  }

  async down(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, { name: 'engine.turn_session', on: 'engine.turn (session_id, id)' });
    await dropLargeIndex(runner, 'engine.turn_of_session');
  }
}
