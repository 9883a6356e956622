import { changeTriggers, dropChangeTriggers } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every replica keeps the rules of projects until it hears that they have changed. */
export class ChangesTold1764900000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const told = changeTriggers('router', [
      { table: 'workflow', topic: 'rules', key: 'project_id' },
      { table: 'trigger', topic: 'rules', key: 'project_id' },
      { table: 'channel', topic: 'rules', key: 'project_id' },
    ]);
    for (const statement of told) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChangeTriggers('router'));
  }
}
