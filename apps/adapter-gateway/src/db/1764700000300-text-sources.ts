import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who writes the text of the built-in Webhook app's messages: its system, or people whose words it passes on. */
export class TextSources1764700000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE gateway.app ADD COLUMN text_from text NOT NULL DEFAULT 'people'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.app DROP COLUMN text_from');
  }
}
