import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Documents that are kept already are offered to the engine too. */
export class KnowledgeFeed1764200000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE gateway.source
        ADD COLUMN trust text NOT NULL DEFAULT 'untrusted',
        ADD COLUMN audience text NOT NULL DEFAULT 'known'`);
    await runner.query(`
      ALTER TABLE gateway.source_document
        ADD COLUMN revision integer NOT NULL DEFAULT 1,
        ADD COLUMN knowledge text NOT NULL DEFAULT 'waiting',
        ADD COLUMN tell_at timestamptz DEFAULT now()`);
    await runner.query(
      'CREATE INDEX source_document_untold ON gateway.source_document (tell_at) WHERE tell_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE gateway.source_document DROP COLUMN revision, DROP COLUMN knowledge, DROP COLUMN tell_at',
    );
    await runner.query('ALTER TABLE gateway.source DROP COLUMN trust, DROP COLUMN audience');
  }
}
