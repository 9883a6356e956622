import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The calls of a Python tool are listed. The previous release has no use for the index. */
export class PythonCalls1795799000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "CREATE INDEX tool_call_python ON engine.tool_call (tool_id, turn_id, seq) WHERE source = 'python'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX engine.tool_call_python');
  }
}
