import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which keys a binding checks signatures with, and when a replaced value ends. The previous release reads neither: it
 * gives a value in rotation to nobody, and ends none.
 */
export class FieldRotation1795682400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.credential_binding ADD COLUMN key_check jsonb');
    await runner.query(`CREATE TABLE vault.field_rotation (
       credential_id text NOT NULL
         CONSTRAINT field_rotation_credential_fkey REFERENCES vault.credential (id) ON DELETE CASCADE,
       field text NOT NULL,
       ends_at timestamptz NOT NULL,
       CONSTRAINT field_rotation_pkey PRIMARY KEY (credential_id, field)
     )`);
    await runner.query('CREATE INDEX field_rotation_ends_idx ON vault.field_rotation (ends_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE vault.field_rotation');
    await runner.query('ALTER TABLE vault.credential_binding DROP COLUMN key_check');
  }
}
