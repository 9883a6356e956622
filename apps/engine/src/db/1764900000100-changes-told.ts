import { changeTriggers, dropChangeTriggers } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every replica keeps agents until it hears that they have changed. */
export class ChangesTold1764900000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const told = changeTriggers('engine', [{ table: 'agent', topic: 'agents', key: 'project_id' }]);
    for (const statement of told) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChangeTriggers('engine'));
  }
}
