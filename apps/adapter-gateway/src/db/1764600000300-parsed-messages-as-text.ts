import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ParsedMessagesAsText1764600000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.parsed_messages ALTER COLUMN messages TYPE text USING messages::text');
  }

  async down(runner: QueryRunner): Promise<void> {
    // What jsonb refuses is parsed again from its receipt.
    await runner.query('TRUNCATE gateway.parsed_messages');
    await runner.query('ALTER TABLE gateway.parsed_messages ALTER COLUMN messages TYPE jsonb USING messages::jsonb');
  }
}
