import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which process hands on the webhooks of a project that has left. The previous release does not read it. */
export class HandOnLease1795921387019 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE journal.project_hold ADD COLUMN hand_on_by text, ADD COLUMN hand_on_until timestamptz',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE journal.project_hold DROP COLUMN hand_on_by, DROP COLUMN hand_on_until');
  }
}
