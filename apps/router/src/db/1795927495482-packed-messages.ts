import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A message may be packed: `packed` has its text and metadata, the facts of its request and its targets, compressed. The
 * release before writes none that is. It reads such a row without its text, and cannot erase it: while it runs,
 * `MESSAGE_PACK_BYTES` is 0.
 */
export class PackedMessages1795927495482 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE router.message ADD COLUMN packed bytea');
    // Not checked in the rows that exist: none is packed, and to read them all would hold the table.
    await runner.query(
      `ALTER TABLE router.message ADD CONSTRAINT message_text_is_once
         CHECK (packed IS NULL OR (message -> 'message') IS NULL) NOT VALID`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    const packed = (await runner.query('SELECT 1 FROM router.message WHERE packed IS NOT NULL LIMIT 1')) as unknown[];
    if (packed.length > 0) throw new Error('Messages are packed, which the release before cannot read.');
    await runner.query('ALTER TABLE router.message DROP COLUMN packed');
  }
}
