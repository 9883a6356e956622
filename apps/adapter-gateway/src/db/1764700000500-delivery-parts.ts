import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeliveryParts1764700000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.delivery_part (
        delivery_id text NOT NULL,
        seq integer NOT NULL,
        text text NOT NULL,
        format text NOT NULL,
        CONSTRAINT delivery_part_pkey PRIMARY KEY (delivery_id, seq)
      )`);
    await runner.query('ALTER TABLE gateway.delivery ADD parts integer, ADD cut_chars integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.delivery DROP COLUMN parts, DROP COLUMN cut_chars');
    await runner.query('DROP TABLE gateway.delivery_part');
  }
}
