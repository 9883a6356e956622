import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Vectors of chunks, by a model that the project chose. The previous release makes none: documents that it stores get
 * theirs from the engine's sweep.
 */
export class ChunkVector1795891000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.embedding_model (
         project_id text NOT NULL,
         organization_id text NOT NULL,
         provider_id text,
         model text,
         space text NOT NULL,
         dimensions integer,
         failure jsonb,
         due_at timestamptz NOT NULL DEFAULT now(),
         updated_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT embedding_model_pkey PRIMARY KEY (project_id)
       )`,
    );
    await runner.query('CREATE INDEX embedding_model_due ON engine.embedding_model (due_at)');
    await runner.query(
      `CREATE TABLE engine.chunk_vector (
         document_id text NOT NULL,
         seq integer NOT NULL,
         project_id text NOT NULL,
         space text NOT NULL,
         signs bit varying,
         vector bytea NOT NULL,
         CONSTRAINT chunk_vector_pkey PRIMARY KEY (document_id, seq)
       )`,
    );
    // Numbers of this kind do not compress: trying to costs more than it saves.
    await runner.query('ALTER TABLE engine.chunk_vector ALTER COLUMN vector SET STORAGE EXTERNAL');
    await runner.query('CREATE INDEX chunk_vector_space ON engine.chunk_vector (project_id, space, document_id, seq)');
    await runner.query('ALTER TABLE engine.document ADD embedded_in text');
    await runner.query('CREATE INDEX document_embedded ON engine.document (project_id, embedded_in)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.document_embedded');
    await runner.query('ALTER TABLE engine.document DROP embedded_in');
    await runner.query('DROP TABLE engine.chunk_vector');
    await runner.query('DROP TABLE engine.embedding_model');
  }
}
