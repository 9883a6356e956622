import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Contacts who are asked for an approval in their own channel. */
export class ApprovalAsk1795805000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.approval_ask (
         id text NOT NULL,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         approval_id text NOT NULL,
         contact_id text NOT NULL,
         token text NOT NULL,
         delivery_id text,
         created_at timestamptz NOT NULL DEFAULT now(),
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
         CONSTRAINT approval_ask_pkey PRIMARY KEY (id),
         CONSTRAINT approval_ask_contact UNIQUE (approval_id, contact_id),
         CONSTRAINT approval_ask_token UNIQUE (token)
       )`,
    );
    await runner.query(
      `CREATE INDEX approval_ask_due ON engine.approval_ask (due_at) WHERE state IN ('queued', 'running')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.approval_ask');
  }
}
