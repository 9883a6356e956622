import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SyncedDocuments1764200000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE engine.synced_document (
        id text NOT NULL,
        organization_id text NOT NULL,
        project_id text NOT NULL,
        revision integer NOT NULL,
        outcome text NOT NULL,
        document_id text NOT NULL,
        taken_at timestamptz NOT NULL,
        CONSTRAINT synced_document_pkey PRIMARY KEY (id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.synced_document');
  }
}
