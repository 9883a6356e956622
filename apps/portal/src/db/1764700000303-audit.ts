import { createAuditTable, dropAuditTable } from '#libs/audit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Audit1764700000303 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createAuditTable('portal')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditTable('portal')) await runner.query(statement);
  }
}
