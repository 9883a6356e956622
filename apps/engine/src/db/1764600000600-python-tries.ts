import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A Python tool that a person tries has a row while it runs: by its token it may ask the engine for HTTP. */
export class PythonTries1764600000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE engine.python_try (
        callback_sha256 text CONSTRAINT python_try_pkey PRIMARY KEY,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        tool_id text NOT NULL,
        grade text NOT NULL,
        callbacks integer NOT NULL DEFAULT 0,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query('CREATE INDEX python_try_expires ON engine.python_try (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.python_try');
  }
}
