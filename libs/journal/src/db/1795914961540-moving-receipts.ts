import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a move under load has to know: of the project that leaves, and of the installation that hands on its webhooks. */
export class MovingReceipts1795914961540 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE journal.project_hold ADD COLUMN closed_here boolean NOT NULL DEFAULT false,
         ADD COLUMN hand_on_key jsonb, ADD COLUMN ended_at timestamptz`,
    );
    await runner.query(
      `CREATE TABLE journal.project_peer (
         project_id text CONSTRAINT project_peer_pkey PRIMARY KEY,
         organization_id text NOT NULL,
         peer text NOT NULL,
         hand_on_key jsonb NOT NULL,
         since timestamptz NOT NULL DEFAULT now()
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal.project_peer');
    await runner.query(
      'ALTER TABLE journal.project_hold DROP COLUMN closed_here, DROP COLUMN hand_on_key, DROP COLUMN ended_at',
    );
  }
}
