import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Hosts that an agent names, turns that have read untrusted content, and why and by whom an approval was asked for. */
export class UntrustedContent1764700000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE engine.agent ADD COLUMN allowed_hosts text[] NOT NULL DEFAULT '{}'`);
    await runner.query('ALTER TABLE engine.turn ADD COLUMN read_untrusted boolean NOT NULL DEFAULT false');
    await runner.query(`
      ALTER TABLE engine.approval
        ADD COLUMN reason text NOT NULL DEFAULT 'over_may_do',
        ADD COLUMN requested_by text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.approval DROP COLUMN reason, DROP COLUMN requested_by');
    await runner.query('ALTER TABLE engine.turn DROP COLUMN read_untrusted');
    await runner.query('ALTER TABLE engine.agent DROP COLUMN allowed_hosts');
  }
}
