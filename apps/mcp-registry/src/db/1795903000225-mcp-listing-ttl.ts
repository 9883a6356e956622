import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long a server's listing holds. The previous release does not read it, and lists each server as before. */
export class McpListingTtl1795903000225 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registry.mcp_server ADD COLUMN list_ttl_ms integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registry.mcp_server DROP COLUMN list_ttl_ms');
  }
}
