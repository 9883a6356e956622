import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An App can tell whether its channel has a reply address, which the router keeps. */
export class ReplyAddresses1764600000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.app ADD has_reply_address boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.app DROP COLUMN has_reply_address');
  }
}
