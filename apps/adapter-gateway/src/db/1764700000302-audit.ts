import { createAuditTable, dropAuditTable } from '#libs/audit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Audit1764700000302 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createAuditTable('gateway')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditTable('gateway')) await runner.query(statement);
  }
}
