import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erasures of contacts. An earlier release asks for none, and leaves these to the next process of this one. */
export class ContactErasure1795892557166 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE router.contact_erasure (
         contact_id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         asked_by text NOT NULL,
         asked_at timestamptz NOT NULL DEFAULT now(),
         pass integer NOT NULL DEFAULT 1,
         report jsonb NOT NULL DEFAULT '{}',
         detail text,
         state text NOT NULL DEFAULT 'queued',
         claim integer NOT NULL DEFAULT 0,
         owner text,
         lease_until timestamptz,
         due_at timestamptz NOT NULL DEFAULT now(),
         tries integer NOT NULL DEFAULT 0,
         blocked_since timestamptz,
         reason text,
         ended_at timestamptz,
         deaths integer NOT NULL DEFAULT 0,
         on_trial boolean NOT NULL DEFAULT false,
         CONSTRAINT contact_erasure_pkey PRIMARY KEY (contact_id)
       )`,
    );
    await runner.query(
      `CREATE INDEX contact_erasure_due ON router.contact_erasure (due_at) WHERE state IN ('queued', 'running')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE router.contact_erasure');
  }
}
