import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a turn sent nothing, until when it waits, how often it was redriven; and what its sender is told when it fails. */
export class TurnEnds1764600000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE engine.turn
        ADD COLUMN reply text,
        ADD COLUMN reason text,
        ADD COLUMN waits integer NOT NULL DEFAULT 0,
        ADD COLUMN waiting_since timestamptz,
        ADD COLUMN retry_at timestamptz,
        ADD COLUMN redrives integer NOT NULL DEFAULT 0`);
    await runner.query('CREATE INDEX turn_by_run ON engine.turn (run_id) WHERE run_id IS NOT NULL');
    await runner.query(`ALTER TABLE engine.reply ADD COLUMN kind text NOT NULL DEFAULT 'answer'`);
    await runner.query('ALTER TABLE engine.reply DROP CONSTRAINT reply_turn');
    await runner.query('ALTER TABLE engine.reply ADD CONSTRAINT reply_turn UNIQUE (turn_id, kind)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM engine.reply WHERE kind <> 'answer'`);
    await runner.query('ALTER TABLE engine.reply DROP CONSTRAINT reply_turn');
    await runner.query('ALTER TABLE engine.reply ADD CONSTRAINT reply_turn UNIQUE (turn_id)');
    await runner.query('ALTER TABLE engine.reply DROP COLUMN kind');
    await runner.query('DROP INDEX engine.turn_by_run');
    await runner.query(`
      ALTER TABLE engine.turn DROP COLUMN reply, DROP COLUMN reason, DROP COLUMN waits, DROP COLUMN waiting_since,
        DROP COLUMN retry_at, DROP COLUMN redrives`);
  }
}
