import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Turns that run of projects that have a limit of them; a row of a turn that does not run is taken away with the next question. */
export class TurnSlots1765000000205 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE engine.turn_slot (
        project_id text NOT NULL,
        turn_id text NOT NULL,
        CONSTRAINT turn_slot_pkey PRIMARY KEY (project_id, turn_id)
      )`);
    await runner.query(
      `CREATE INDEX turn_waiting_for_slot ON engine.turn (project_id, id) WHERE state = 'queued' AND error = 'project_turns'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.turn_waiting_for_slot');
    await runner.query('DROP TABLE engine.turn_slot');
  }
}
