import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FailuresOnResources1764600000800 implements MigrationInterface {
  readonly name = 'FailuresOnResources1764600000800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.adapter ADD COLUMN skill jsonb');
    await runner.query('ALTER TABLE gateway.app ADD COLUMN renewal_failure jsonb');
    await runner.query('ALTER TABLE gateway.source ADD COLUMN sync_failure jsonb, ADD COLUMN feed_failure jsonb');
    await runner.query('ALTER TABLE gateway.source_document ADD COLUMN knowledge_failure jsonb');
    await runner.query(
      `CREATE INDEX source_document_failing ON gateway.source_document (source_id) WHERE knowledge_failure IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.source_document DROP COLUMN knowledge_failure');
    await runner.query('ALTER TABLE gateway.source DROP COLUMN sync_failure, DROP COLUMN feed_failure');
    await runner.query('ALTER TABLE gateway.app DROP COLUMN renewal_failure');
    await runner.query('ALTER TABLE gateway.adapter DROP COLUMN skill');
  }
}
