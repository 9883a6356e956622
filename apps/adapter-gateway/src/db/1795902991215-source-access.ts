import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who may read all that a source brings: what the provider says of the place, whether that holds, and rules by path.
 * The previous release neither reads nor writes it.
 */
export class SourceAccess1795902991215 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE gateway.source ADD access_from text NOT NULL DEFAULT 'provider', ADD access jsonb,
         ADD access_rules jsonb NOT NULL DEFAULT '[]'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.source DROP access_from, DROP access, DROP access_rules');
  }
}
