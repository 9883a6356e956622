import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TokenCustody1764400000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Written for deletions that did not happen: revocations now are written by the transaction that lets the tokens go.
    await runner.query(
      `DELETE FROM vault.revocation r WHERE NOT credential_stays
          AND EXISTS (SELECT 1 FROM vault.credential c WHERE c.id = r.credential_id)`,
    );
    await runner.query(
      `ALTER TABLE vault.revocation DROP COLUMN credential_stays,
         ADD COLUMN project_id text NOT NULL DEFAULT '',
         ADD COLUMN reason text NOT NULL DEFAULT 'deleted',
         ADD COLUMN last_error text,
         ADD COLUMN gave_up_at timestamptz`,
    );
    await runner.query('CREATE INDEX revocation_project_idx ON vault.revocation (organization_id, project_id, id)');
    await runner.query('ALTER TABLE vault.refresh_attempt ADD COLUMN provider jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.refresh_attempt DROP COLUMN provider');
    await runner.query('DROP INDEX vault.revocation_project_idx');
    await runner.query(
      `ALTER TABLE vault.revocation DROP COLUMN project_id, DROP COLUMN reason, DROP COLUMN last_error,
         DROP COLUMN gave_up_at, ADD COLUMN credential_stays boolean NOT NULL DEFAULT true`,
    );
  }
}
