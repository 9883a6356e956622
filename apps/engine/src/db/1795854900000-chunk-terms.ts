import { buildLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What chunks are found by. The previous release stores none: chunks without terms get them from the engine's sweep. */
export class ChunkTerms1795854900000 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const columns = ['heading text', 'language text', 'terms tsvector'].map(
      (each) => `ADD COLUMN IF NOT EXISTS ${each}`,
    );
    await runner.query(`ALTER TABLE engine.chunk ${columns.join(', ')}`);
    for (const [name, on] of [
      ['chunk_terms', 'engine.chunk USING gin (terms)'],
      ['chunk_without_terms', 'engine.chunk (document_id, seq) WHERE terms IS NULL'],
      ['chunk_language', 'engine.chunk (project_id, language)'],
    ] as const)
      await buildLargeIndex(runner, { name: `engine.${name}`, on });
  }

  async down(runner: QueryRunner): Promise<void> {
    // The indexes go with their columns.
    const columns = ['terms', 'language', 'heading'].map((each) => `DROP COLUMN IF EXISTS ${each}`);
    await runner.query(`ALTER TABLE engine.chunk ${columns.join(', ')}`);
  }
}
