import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A turn outside of conversations has no entry in the index of their turns. The previous release finds turns by this one
 * as well: it always asks for a session.
 */
export class TurnOfSession1795894050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX turn_of_session ON engine.turn (session_id, id) WHERE session_id IS NOT NULL');
    await runner.query('DROP INDEX engine.turn_session');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX turn_session ON engine.turn (session_id, id)');
    await runner.query('DROP INDEX engine.turn_of_session');
  }
}
