import { handoverTables } from '#libs/journal';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The engine has sessions, turns and runs; a message keeps what it handed over until the engine has told of it. */
export class TurnsHandedOver1764800000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE router.message ADD COLUMN turns jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN routed_at timestamptz NOT NULL DEFAULT now()`);
    await runner.query(`CREATE INDEX message_handed ON router.message (routed_at) WHERE turns <> '[]'`);
    for (const statement of handoverTables('router')) await runner.query(statement);
    await runner.query('DROP TABLE router.debounce');
    await runner.query(`
      CREATE TABLE router.debounce (
        trigger_id text NOT NULL,
        scope text NOT NULL,
        turn_id text NOT NULL,
        turn jsonb NOT NULL,
        due_at timestamptz NOT NULL,
        max_at timestamptz NOT NULL,
        PRIMARY KEY (trigger_id, scope)
      )`);
    await runner.query('CREATE INDEX ON router.debounce (due_at)');
    await runner.query('CREATE INDEX ON router.debounce (turn_id)');
    await runner.query('DROP TABLE router.session, router.session_inbox, router.session_mark, router.turn, router.run');
  }

  async down(): Promise<void> {
    throw new Error('Sessions and runs are not moved back: restore the database as it was before.');
  }
}
