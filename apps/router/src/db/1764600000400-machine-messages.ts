import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What bots and automatic messages reach is a channel's to say, and what became of them stands with the message. */
export class MachineMessages1764600000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE router.channel
        ADD bots text NOT NULL DEFAULT 'triggers_only', ADD automatic text NOT NULL DEFAULT 'triggers_only'`);
    await runner.query(`
      ALTER TABLE router.message
        ADD app_sends boolean NOT NULL DEFAULT true, ADD chief_of_staff text, ADD reply_withheld text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE router.message DROP COLUMN app_sends, DROP COLUMN chief_of_staff, DROP COLUMN reply_withheld',
    );
    await runner.query('ALTER TABLE router.channel DROP COLUMN bots, DROP COLUMN automatic');
  }
}
