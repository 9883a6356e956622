import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const name = 'engine.turn_due';

/** Turns that are due, by the columns that `TurnWork` has given them. Where that had made it, it stays. */
export class TurnDue1795706000001 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, { name, on: "engine.turn (due_at) WHERE state IN ('queued', 'running')" });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLargeIndex(runner, name);
  }
}
