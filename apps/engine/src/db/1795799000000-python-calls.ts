import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The calls of a Python tool are listed. The previous release has no use for the index. */
export class PythonCalls1795799000000 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, {
      name: 'engine.tool_call_python',
      on: "engine.tool_call (tool_id, turn_id, seq) WHERE source = 'python'",
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLargeIndex(runner, 'engine.tool_call_python');
  }
}
