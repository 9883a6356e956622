import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may read a document, where that is a list. The previous release writes none. */
export class DocumentReaders1795894000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE engine.document ADD readers text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.document DROP readers');
  }
}
