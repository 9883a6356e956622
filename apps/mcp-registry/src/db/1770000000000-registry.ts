import { createAuditTable, dropAuditTable } from '#libs/audit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Registry1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...servers, ...tools, ...skills, ...calls, ...createAuditTable('registry')]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of dropAuditTable('registry')) await runner.query(statement);
    await runner.query(
      `DROP TABLE registry.tool_call, registry.skill_credential, registry.skill_tool, registry.skill_version,
         registry.skill, registry.tool_version, registry.tool, registry.mcp_server`,
    );
  }
}

const servers = [
  `CREATE TABLE registry.mcp_server (
     id text CONSTRAINT mcp_server_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     slug text NOT NULL,
     name text NOT NULL,
     url text NOT NULL,
     transport text,
     protocol_version text,
     server_info jsonb,
     auth_mode text NOT NULL,
     auth_header text,
     credential_id text,
     policy text NOT NULL,
     trust text NOT NULL DEFAULT 'untrusted',
     has_baseline boolean NOT NULL,
     health text NOT NULL,
     health_reason text,
     checked_at timestamptz,
     discover_at timestamptz NOT NULL,
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL,
     CONSTRAINT mcp_server_slug UNIQUE (project_id, slug)
   )`,
  'CREATE INDEX mcp_server_due ON registry.mcp_server (discover_at)',
];

/** Tools of MCP servers and Python tools, with every definition that was ever in effect. */
const tools = [
  `CREATE TABLE registry.tool (
     id text CONSTRAINT tool_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     source text NOT NULL,
     server_id text CONSTRAINT tool_server_fkey REFERENCES registry.mcp_server (id) ON DELETE CASCADE,
     name text NOT NULL,
     state text NOT NULL,
     problem text,
     definition jsonb,
     pin text,
     candidate jsonb,
     candidate_pin text,
     grade text NOT NULL,
     idempotent boolean NOT NULL,
     graded boolean NOT NULL,
     trust text,
     misses integer NOT NULL,
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL
   )`,
  'CREATE INDEX tool_by_project ON registry.tool (project_id, id)',
  `CREATE UNIQUE INDEX tool_mcp_name ON registry.tool (server_id, name) WHERE source = 'mcp'`,
  `CREATE UNIQUE INDEX tool_python_name ON registry.tool (project_id, name) WHERE source = 'python'`,
  `CREATE TABLE registry.tool_version (
     tool_id text NOT NULL CONSTRAINT tool_version_tool_fkey REFERENCES registry.tool (id) ON DELETE CASCADE,
     number integer NOT NULL,
     pin text NOT NULL,
     definition jsonb NOT NULL,
     approved_by text NOT NULL,
     approved_at timestamptz NOT NULL,
     CONSTRAINT tool_version_pkey PRIMARY KEY (tool_id, number)
   )`,
];

/** A Skill bundles tools and knowledge. It says where each of its credentials may be sent, and how. */
const skills = [
  `CREATE TABLE registry.skill (
     id text CONSTRAINT skill_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     slug text NOT NULL,
     name text NOT NULL,
     description text NOT NULL,
     knowledge text NOT NULL,
     origin text NOT NULL,
     server_id text CONSTRAINT skill_server_fkey REFERENCES registry.mcp_server (id) ON DELETE CASCADE,
     version integer NOT NULL,
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL,
     CONSTRAINT skill_slug UNIQUE (project_id, slug)
   )`,
  'CREATE UNIQUE INDEX skill_server ON registry.skill (server_id) WHERE server_id IS NOT NULL',
  `CREATE TABLE registry.skill_version (
     skill_id text NOT NULL CONSTRAINT skill_version_skill_fkey REFERENCES registry.skill (id) ON DELETE CASCADE,
     version integer NOT NULL,
     content jsonb NOT NULL,
     created_by text NOT NULL,
     created_at timestamptz NOT NULL,
     CONSTRAINT skill_version_pkey PRIMARY KEY (skill_id, version)
   )`,
  `CREATE TABLE registry.skill_tool (
     skill_id text NOT NULL CONSTRAINT skill_tool_skill_fkey REFERENCES registry.skill (id) ON DELETE CASCADE,
     tool text NOT NULL,
     enabled boolean NOT NULL,
     CONSTRAINT skill_tool_pkey PRIMARY KEY (skill_id, tool)
   )`,
  `CREATE TABLE registry.skill_credential (
     skill_id text NOT NULL CONSTRAINT skill_credential_skill_fkey REFERENCES registry.skill (id) ON DELETE CASCADE,
     name text NOT NULL,
     credential_id text NOT NULL,
     hosts text[] NOT NULL DEFAULT '{}',
     header text,
     scheme text,
     trust text,
     CONSTRAINT skill_credential_pkey PRIMARY KEY (skill_id, name)
   )`,
];

const calls = [
  // The call record of a Python tool that a person tried has no server.
  `CREATE TABLE registry.tool_call (
     id text CONSTRAINT tool_call_pkey PRIMARY KEY,
     organization_id text NOT NULL,
     project_id text NOT NULL,
     server_id text,
     tool_id text NOT NULL,
     tool_name text NOT NULL,
     pin text NOT NULL,
     call_id text NOT NULL,
     caller text NOT NULL,
     arguments_sha256 text NOT NULL,
     outcome text NOT NULL,
     result_bytes integer NOT NULL,
     truncated boolean NOT NULL,
     duration_ms double precision NOT NULL,
     at timestamptz NOT NULL
   )`,
  'CREATE INDEX tool_call_by_project ON registry.tool_call (project_id, id)',
  'CREATE INDEX tool_call_at ON registry.tool_call (at)',
];
