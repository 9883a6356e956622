import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents ask each other. The previous release has no such agents, and keeps what it does not know. */
export class AgentCall1795867200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE engine.agent ADD COLUMN agents jsonb NOT NULL DEFAULT '[]'`);
    await runner.query('ALTER TABLE engine.turn ADD COLUMN called_by text');
    await runner.query('CREATE INDEX turn_called ON engine.turn (called_by) WHERE called_by IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.turn_called');
    await runner.query('ALTER TABLE engine.turn DROP COLUMN called_by');
    await runner.query('ALTER TABLE engine.agent DROP COLUMN agents');
  }
}
