import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What agents remember of contacts. The previous release has no tool for it, and reads none. */
export class ContactMemory1795868400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.contact_memory (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         agent_id text NOT NULL,
         contact_id text NOT NULL,
         text text NOT NULL,
         key text NOT NULL,
         content_trust text NOT NULL,
         turn_id text NOT NULL,
         receipt_id text NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now(),
         expires_at timestamptz,
         corrected_by text,
         corrected_at timestamptz,
         CONSTRAINT contact_memory_pkey PRIMARY KEY (id)
       )`,
    );
    await runner.query(
      'CREATE UNIQUE INDEX contact_memory_key ON engine.contact_memory (project_id, contact_id, agent_id, key)',
    );
    await runner.query('CREATE INDEX contact_memory_list ON engine.contact_memory (project_id, contact_id, id)');
    await runner.query(
      'CREATE INDEX contact_memory_expired ON engine.contact_memory (expires_at) WHERE expires_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.contact_memory');
  }
}
