import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sessions of MCP servers belong to conversations. The previous release does not read the table, and its servers get the
 * defaults: it goes on to use one session per server.
 */
export class McpSession1795691361622 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE registry.mcp_server
         ADD COLUMN sessions text NOT NULL DEFAULT 'conversation',
         ADD COLUMN stateless boolean NOT NULL DEFAULT false`,
    );
    await runner.query(
      `CREATE TABLE registry.mcp_session (
         server_id text NOT NULL,
         conversation text NOT NULL,
         opened_for text NOT NULL,
         live boolean NOT NULL,
         generation integer NOT NULL,
         session text,
         protocol_version text,
         in_flight integer NOT NULL,
         busy_until timestamptz NOT NULL,
         used_at timestamptz NOT NULL,
         lost integer NOT NULL,
         lost_why text,
         heard integer NOT NULL,
         CONSTRAINT mcp_session_pkey PRIMARY KEY (server_id, conversation)
       )`,
    );
    await runner.query('CREATE INDEX mcp_session_used ON registry.mcp_session (used_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registry.mcp_session');
    await runner.query('ALTER TABLE registry.mcp_server DROP COLUMN sessions, DROP COLUMN stateless');
  }
}
