import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A Skill says where each of its credentials may go and how it is shown; the record of a tried Python tool has no server. */
export class CredentialHosts1764600000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE registry.skill_credential
        ADD hosts text[] NOT NULL DEFAULT '{}',
        ADD header text,
        ADD scheme text`);
    await runner.query('ALTER TABLE registry.tool_call ALTER COLUMN server_id DROP NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM registry.tool_call WHERE server_id IS NULL');
    await runner.query('ALTER TABLE registry.tool_call ALTER COLUMN server_id SET NOT NULL');
    await runner.query(
      'ALTER TABLE registry.skill_credential DROP COLUMN hosts, DROP COLUMN header, DROP COLUMN scheme',
    );
  }
}
