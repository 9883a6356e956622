import { buildLargeIndex, dropLargeIndex } from '#libs/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A contact is found by the beginning of an address. Messages do not change the address, so they do not touch it. */
export class ContactAddress1795879800000 implements MigrationInterface {
  /** Its table stays open for writes while it is indexed. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildLargeIndex(runner, {
      name: 'router.contact_identity_by_address',
      on: 'router.contact_identity (project_id, lower(sender) text_pattern_ops)',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropLargeIndex(runner, 'router.contact_identity_by_address');
  }
}
