import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The key for which vaults of other installations seal what moves here. */
export class ArrivalKey1795903473549 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE vault.arrival_key (
         id text CONSTRAINT arrival_key_pkey PRIMARY KEY,
         organization_id text NOT NULL,
         public_key jsonb NOT NULL,
         kid text NOT NULL,
         wrapped_dek bytea NOT NULL,
         private_key bytea NOT NULL,
         created_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE vault.arrival_key');
  }
}
