import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SigningFieldsTold1764600000820 implements MigrationInterface {
  readonly name = 'SigningFieldsTold1764600000820';

  /** The vault now keeps which fields of an App's records check signatures: it is told of every App. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE gateway.app SET bindings_due_at = now() WHERE state <> 'retired'`);
  }

  async down(): Promise<void> {
    // Telling once more changes nothing.
  }
}
