import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What people say in sessions is kept, in its place among the session's turns. */
export class TakeoverLines1764400000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.session_mark ADD text text, ADD epoch integer');
    await runner.query(
      'ALTER TABLE router.session ADD taken_over_epoch integer, ADD answered_epoch integer NOT NULL DEFAULT 0',
    );
    await runner.query(`CREATE INDEX turn_handled ON router.turn (session_id) WHERE "state" = 'handled'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX router.turn_handled');
    await runner.query('ALTER TABLE router.session DROP COLUMN taken_over_epoch, DROP COLUMN answered_epoch');
    await runner.query('ALTER TABLE router.session_mark DROP COLUMN text, DROP COLUMN epoch');
  }
}
