import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As whom a contact reads documents that only some may read. The previous release neither reads nor writes it. */
export class ContactReadsAs1795894000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE router.contact ADD reads_as text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.contact DROP reads_as');
  }
}
