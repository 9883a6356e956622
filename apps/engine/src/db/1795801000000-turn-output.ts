import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run gave, where its workflow declares a schema. The previous release does not read the column. */
export class TurnOutput1795801000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.turn ADD COLUMN output jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.turn DROP COLUMN output');
  }
}
