import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run says whether it was a rehearsal: a replay without delivery. */
export class RunRehearsals1764600000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.run ADD rehearsal boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.run DROP COLUMN rehearsal');
  }
}
