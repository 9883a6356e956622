import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The address of a channel is known where replies are sent. */
export class ReplyAddress1795812000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.app ADD COLUMN reply_address text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.app DROP COLUMN reply_address');
  }
}
