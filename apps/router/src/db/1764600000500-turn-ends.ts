import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a turn sent nothing, until when it waits, how often it was redriven; and what senders are told of a failure. */
export class TurnEnds1764600000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE router.turn ADD COLUMN reply text, ADD COLUMN reason text, ADD COLUMN redrives integer NOT NULL DEFAULT 0`);
    // What became of an event is told in every list of events.
    await runner.query('CREATE INDEX turn_by_receipt ON router.turn (receipt_id)');
    await runner.query(
      'ALTER TABLE router.run ADD COLUMN reply text, ADD COLUMN reason text, ADD COLUMN waiting_until timestamptz',
    );
    await runner.query('ALTER TABLE router.channel ADD COLUMN failure_notice text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.channel DROP COLUMN failure_notice');
    await runner.query('ALTER TABLE router.run DROP COLUMN waiting_until, DROP COLUMN reason, DROP COLUMN reply');
    await runner.query('DROP INDEX router.turn_by_receipt');
    await runner.query('ALTER TABLE router.turn DROP COLUMN redrives, DROP COLUMN reason, DROP COLUMN reply');
  }
}
