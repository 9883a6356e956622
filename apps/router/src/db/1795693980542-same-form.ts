import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many messages of a sender in a row have one form. The previous release writes neither column. */
export class SameForm1795693980542 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE router.contact_identity ADD COLUMN last_form text, ADD COLUMN same_forms integer NOT NULL DEFAULT 0',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.contact_identity DROP COLUMN last_form, DROP COLUMN same_forms');
  }
}
