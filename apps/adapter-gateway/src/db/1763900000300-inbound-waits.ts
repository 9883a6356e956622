import type { MigrationInterface, QueryRunner } from 'typeorm';

export class InboundWaits1763900000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateway.inbound_wait (
        receipt_id text CONSTRAINT inbound_wait_pkey PRIMARY KEY,
        adapter_id text NOT NULL,
        job jsonb NOT NULL,
        attempts integer NOT NULL,
        code text NOT NULL,
        taken boolean NOT NULL,
        next_at timestamptz NOT NULL,
        waiting_since timestamptz NOT NULL
      )`);
    await runner.query('ALTER TABLE gateway.delivery ADD COLUMN moved_to text');
    await runner.query('CREATE INDEX inbound_wait_due ON gateway.inbound_wait (adapter_id, next_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.delivery DROP COLUMN moved_to');
    await runner.query('DROP TABLE gateway.inbound_wait');
  }
}
