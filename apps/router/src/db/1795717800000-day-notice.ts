import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A contact over its messages of the day is informed once a day. The previous release does not read the column. */
export class DayNotice1795717800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.contact_day ADD COLUMN noticed boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.contact_day DROP COLUMN noticed');
  }
}
