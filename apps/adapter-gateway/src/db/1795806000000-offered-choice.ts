import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Choices that a channel without buttons shows as numbers, until one of them is answered. */
export class OfferedChoice1795806000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE gateway.offered_choice (
         delivery_id text NOT NULL,
         number integer NOT NULL,
         app_id text NOT NULL,
         address_hash text NOT NULL,
         answerer text,
         action_id text NOT NULL,
         label text NOT NULL,
         value text NOT NULL,
         answered_by text,
         offered_at timestamptz NOT NULL DEFAULT now(),
         CONSTRAINT offered_choice_pkey PRIMARY KEY (delivery_id, number)
       )`,
    );
    await runner.query(
      'CREATE INDEX offered_choice_address ON gateway.offered_choice (app_id, address_hash, offered_at)',
    );
    await runner.query('CREATE INDEX offered_choice_age ON gateway.offered_choice (offered_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.offered_choice');
  }
}
