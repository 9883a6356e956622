import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A contact is found by the beginning of an address. Messages do not change the address, so they do not touch it. */
export class ContactAddress1795879800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX contact_identity_by_address ON router.contact_identity (project_id, lower(sender) text_pattern_ops)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX router.contact_identity_by_address');
  }
}
