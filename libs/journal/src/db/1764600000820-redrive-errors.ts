import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RedriveErrors1764600000820 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE journal.dead_letter ADD COLUMN redrive_error text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE journal.dead_letter DROP COLUMN redrive_error');
  }
}
