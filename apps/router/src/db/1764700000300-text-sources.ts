import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who wrote the text of a message of the built-in Webhook app: its system, or people whose words it passes on. */
export class TextSources1764700000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE router.message ADD COLUMN text_from text NOT NULL DEFAULT 'people'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.message DROP COLUMN text_from');
  }
}
