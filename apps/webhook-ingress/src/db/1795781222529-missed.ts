import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outages, and whether what was refused came back: by the sender's own id of the delivery, or by the same body. */
export class Missed1795781222529 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE ingress.refusal ADD COLUMN times integer NOT NULL DEFAULT 1, ADD COLUMN last_at timestamptz,
         ADD COLUMN delivery_id text, ADD COLUMN key_hash bytea, ADD COLUMN event_id text`,
    );
    await runner.query('CREATE INDEX refusal_open ON ingress.refusal (at) WHERE event_id IS NULL');
    await runner.query(
      `CREATE TABLE ingress.outage (
         id text CONSTRAINT outage_pkey PRIMARY KEY,
         app_id text,
         since timestamptz NOT NULL,
         until timestamptz NOT NULL,
         announced_at timestamptz
       )`,
    );
    await runner.query('CREATE INDEX outage_unannounced ON ingress.outage (id) WHERE announced_at IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ingress.outage');
    await runner.query('DELETE FROM ingress.sweep WHERE id = 2');
    await runner.query('DROP INDEX ingress.refusal_open');
    await runner.query(
      `ALTER TABLE ingress.refusal DROP COLUMN times, DROP COLUMN last_at, DROP COLUMN delivery_id,
         DROP COLUMN key_hash, DROP COLUMN event_id`,
    );
  }
}
