import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Words of voice notes, once for each file, and the model that hears them. The previous release reads neither. */
export class Transcript1795892000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.transcript (
         project_id text NOT NULL,
         file_sha256 text NOT NULL,
         organization_id text NOT NULL,
         name text NOT NULL,
         media_type text NOT NULL,
         bytes integer NOT NULL,
         text text NOT NULL,
         model text NOT NULL,
         seconds double precision,
         cost_micros integer NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT transcript_pkey PRIMARY KEY (project_id, file_sha256)
       )`,
    );
    await runner.query('CREATE INDEX transcript_by_time ON engine.transcript (created_at)');
    await runner.query('ALTER TABLE engine.provider ADD COLUMN transcription_model text');
    await runner.query('ALTER TABLE engine.model_usage ADD COLUMN audio_seconds bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE engine.model_usage DROP COLUMN audio_seconds');
    await runner.query('ALTER TABLE engine.provider DROP COLUMN transcription_model');
    await runner.query('DROP TABLE engine.transcript');
  }
}
