import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What chunks are found by. The previous release stores none: chunks without terms get them from the engine's sweep. */
export class ChunkTerms1795854900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.chunk ADD heading text, ADD language text, ADD terms tsvector');
    await runner.query('CREATE INDEX chunk_terms ON engine.chunk USING gin (terms)');
    await runner.query('CREATE INDEX chunk_without_terms ON engine.chunk (document_id, seq) WHERE terms IS NULL');
    await runner.query('CREATE INDEX chunk_language ON engine.chunk (project_id, language)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.chunk_language');
    await runner.query('ALTER TABLE engine.chunk DROP terms, DROP language, DROP heading');
  }
}
