import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may open a document at its provider. The previous release neither reads nor writes it. */
export class DocumentAccess1795894000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.source_document ADD access jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.source_document DROP access');
  }
}
