import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which build each running process is of. The previous release neither reads it nor writes it. */
export class Process1795927615169 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE journal.process (
         id text CONSTRAINT process_pkey PRIMARY KEY,
         service text NOT NULL,
         build text NOT NULL,
         started_at timestamptz NOT NULL DEFAULT now(),
         seen_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE journal.process');
  }
}
