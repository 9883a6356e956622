import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A vector goes with its chunk, also where the previous release, which knows no vectors, deletes that. */
export class ChunkVectorOfChunk1795895000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DELETE FROM engine.chunk_vector v
        WHERE NOT EXISTS (SELECT FROM engine.chunk c WHERE c.document_id = v.document_id AND c.seq = v.seq)`,
    );
    await runner.query(
      `ALTER TABLE engine.chunk_vector ADD CONSTRAINT chunk_vector_chunk_fkey
         FOREIGN KEY (document_id, seq) REFERENCES engine.chunk (document_id, seq) ON DELETE CASCADE`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.chunk_vector DROP CONSTRAINT chunk_vector_chunk_fkey');
  }
}
