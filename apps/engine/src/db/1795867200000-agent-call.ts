import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents ask each other. The previous release has no such agents, and keeps what it does not know. */
export class AgentCall1795867200000 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE engine.agent ADD COLUMN IF NOT EXISTS agents jsonb NOT NULL DEFAULT '[]'`);
    await runner.query('ALTER TABLE engine.turn ADD COLUMN IF NOT EXISTS called_by text');
    await buildLargeIndex(runner, {
      name: 'engine.turn_called',
      on: 'engine.turn (called_by) WHERE called_by IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLargeIndex(runner, 'engine.turn_called');
    await runner.query('ALTER TABLE engine.turn DROP COLUMN IF EXISTS called_by');
    await runner.query('ALTER TABLE engine.agent DROP COLUMN IF EXISTS agents');
  }
}
