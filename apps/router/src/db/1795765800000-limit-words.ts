import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A channel's own words for a notice of a limit; the previous release put the limit behind its `failure_notice`. And
 * whether a paused sender was informed.
 */
export class LimitWords1795765800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE router.channel ADD COLUMN limit_notice text
         DEFAULT 'Sorry, your message was not answered. {limit} New messages are answered again from {until}.'`,
    );
    await runner.query(
      `UPDATE router.channel SET limit_notice = left(failure_notice, 900) || E'\n\n{limit} New messages are answered again from {until}.'`,
    );
    await runner.query('ALTER TABLE router.contact_identity ADD COLUMN pause_noticed boolean NOT NULL DEFAULT false');
    await runner.query('UPDATE router.contact_identity SET pause_noticed = true WHERE paused_until IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.contact_identity DROP COLUMN pause_noticed');
    await runner.query('ALTER TABLE router.channel DROP COLUMN limit_notice');
  }
}
