import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SigningFields1764600000820 implements MigrationInterface {
  readonly name = 'SigningFields1764600000820';

  /** Nothing may sign until the adapter-gateway says what does; it is due to tell of every App. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE vault.credential_binding ADD COLUMN signing text[] DEFAULT '{}'`);
    await runner.query('ALTER TABLE vault.credential_binding ALTER COLUMN signing DROP DEFAULT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault.credential_binding DROP COLUMN signing');
  }
}
