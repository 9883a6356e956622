import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that turns send with their answers. The previous release has no tool for it, and reads none. */
export class TurnFile1795894100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE engine.turn_file (
         turn_id text NOT NULL,
         sha256 text NOT NULL,
         name text NOT NULL,
         seq integer NOT NULL,
         content_type text NOT NULL,
         size integer NOT NULL,
         content bytea NOT NULL,
         CONSTRAINT turn_file_pkey PRIMARY KEY (turn_id, sha256, name)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE engine.turn_file');
  }
}
