import { workColumns } from '#libs/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Providers that are asked for what they could not deliver. */
export class Missed1795807000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE gateway.missed_ask (
         app_id text CONSTRAINT missed_ask_pkey PRIMARY KEY,
         organization_id text NOT NULL,
         project_id text NOT NULL,
         since timestamptz NOT NULL,
         until timestamptz NOT NULL,
         cursor text,
         pages integer NOT NULL DEFAULT 0,
         redeliveries integer NOT NULL DEFAULT 0,
         stored integer NOT NULL DEFAULT 0,
         detail text,
         ${workColumns}
       )`,
    );
    await runner.query(
      "CREATE INDEX missed_ask_due ON gateway.missed_ask (due_at) WHERE state IN ('queued', 'running')",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateway.missed_ask');
  }
}
