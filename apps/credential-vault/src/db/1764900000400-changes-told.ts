import { changeTriggers, dropChangeTriggers } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every replica keeps credentials, sealed as they are, until it hears that they have changed. */
export class ChangesTold1764900000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const told = changeTriggers('vault', [
      {
        table: 'credential',
        topic: 'credential',
        key: 'id',
        // What is kept has none of these.
        except: ['reason', 'account', 'account_fingerprint', 'notification_failure', 'last_verified_at', 'updated_at'],
      },
      { table: 'credential_field', topic: 'credential', key: 'credential_id' },
      { table: 'credential_binding', topic: 'credential', key: 'credential_id' },
    ]);
    for (const statement of told) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(dropChangeTriggers('vault'));
  }
}
