import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeliveryAttachments1764200000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.delivery_attachment (
        delivery_id text NOT NULL,
        seq integer NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT delivery_attachment_pkey PRIMARY KEY (delivery_id, seq)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.delivery_attachment');
  }
}
