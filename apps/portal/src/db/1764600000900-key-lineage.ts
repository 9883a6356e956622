import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeyLineage1764600000900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE portal.api_key ADD made_by_key_id text');
    await runner.query('CREATE INDEX api_key_made_by_idx ON portal.api_key (made_by_key_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE portal.api_key DROP made_by_key_id');
  }
}
