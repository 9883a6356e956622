import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who holds a lease, so that one of a dead process is void at once; the number of an attempt, which pauses do not turn back. */
export class LeaseOwners1764900000105 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.delivery ADD lease_owner text, ADD claims integer NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE gateway.inbound_wait ADD taken_by text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.inbound_wait DROP COLUMN taken_by');
    await runner.query('ALTER TABLE gateway.delivery DROP COLUMN lease_owner, DROP COLUMN claims');
  }
}
