import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What turns say before their answers. The previous release has no tool for it, and its answers follow as they are. */
export class TurnInterim1795903366102 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.turn_interim (
         turn_id text NOT NULL,
         call_ref text NOT NULL,
         seq integer NOT NULL,
         stays boolean NOT NULL,
         CONSTRAINT turn_interim_pkey PRIMARY KEY (turn_id, call_ref)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.turn_interim');
  }
}
