import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a part of a connection fails. The previous release neither writes nor reads it. */
export class ConnectionDegraded1795914674311 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.held_connection ADD COLUMN degraded jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.held_connection DROP COLUMN degraded');
  }
}
