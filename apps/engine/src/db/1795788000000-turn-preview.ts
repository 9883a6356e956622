import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What turns are writing. It is written several times a second, and worth nothing after a crash: it is not logged. */
export class TurnPreview1795788000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE UNLOGGED TABLE engine.turn_preview (
         turn_id text NOT NULL,
         session_id text NOT NULL,
         claim integer NOT NULL,
         version integer NOT NULL,
         step integer NOT NULL,
         tools text[] NOT NULL,
         text text NOT NULL,
         CONSTRAINT turn_preview_pkey PRIMARY KEY (turn_id)
       )`,
    );
    await runner.query('CREATE INDEX turn_preview_by_session ON engine.turn_preview (session_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.turn_preview');
  }
}
