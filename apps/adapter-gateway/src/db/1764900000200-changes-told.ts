import { changeTriggers, dropChangeTriggers } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every replica keeps Apps and their adapters until it hears that they have changed. */
export class ChangesTold1764900000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const told = changeTriggers('gateway', [
      { table: 'app', topic: 'app', key: 'id', except: ['bindings_due_at', 'renewal_failure'] },
      // Of all its Apps: those that came since do not tell of themselves.
      {
        table: 'adapter',
        topic: 'app',
        except: [
          'latency_ms',
          'checked_at',
          'failed_polls',
          'next_check_at',
          'skill_told',
          'skill_credentials',
          'skill',
        ],
      },
    ]);
    for (const statement of told) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChangeTriggers('gateway'));
  }
}
