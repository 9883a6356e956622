import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A place for the step of a turn that has one only. The previous release leaves it empty, and stores a row. */
export class OnlyStep1795927642138 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.turn ADD COLUMN only_step jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.turn DROP COLUMN only_step');
  }
}
