import { type DueRows, takeDueSql } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Health, McpServer, type TransportKind } from '../entities/mcp-server.entity.js';
import { readContent, writeContent } from '../skills/skill-content.repository.js';
import { Skill } from '../entities/skill.entity.js';
import { addVersion } from '../tools/tool.repository.js';
import { Tool } from '../tools/tool.entity.js';
import type { ListedTool } from './listed-tool.js';
import { reconcile } from './reconcile.js';

/** What a server said about itself while it was listed. */
export interface ServerFacts {
  transport: TransportKind;
  protocol_version: string | null;
  server_info: { name: string; version: string } | null;
  stateless: boolean;
  list_ttl_ms: number | null;
  /** When it is listed again. */
  discover_at: Date;
  /** When the listing was requested. The listing is at least this fresh. */
  checked_at: Date;
}

const discovered: DueRows = {
  table: 'registry.mcp_server',
  key: 'id',
  dueAt: 'discover_at',
  pause: 'make_interval(secs => $2)',
};

@Injectable()
export class DiscoveryRepository {
  constructor(private readonly source: DataSource) {}

  find(id: string): Promise<McpServer | null> {
    return this.source.manager.findOneBy(McpServer, { id });
  }

  /** Takes the servers that are due. Each is due again after the interval, whatever this discovery yields. */
  async takeDue(everyMs: number, limit: number): Promise<string[]> {
    const [rows] = (await this.source.query(`${takeDueSql(discovered, '$1')} RETURNING id`, [
      limit,
      everyMs / 1_000,
    ])) as [{ id: string }[], number];
    return rows.map(({ id }) => id);
  }

  /** Records a failed discovery, unless a stored one started later: then this result is stale and changes nothing. */
  async fail(id: string, health: Health, reason: string, startedAt: Date): Promise<void> {
    await this.source.query(
      `UPDATE registry.mcp_server SET health = $2, health_reason = $3, checked_at = $4
        WHERE id = $1 AND (checked_at IS NULL OR checked_at <= $4)`,
      [id, health, reason, startedAt],
    );
  }

  /**
   * Applies a complete listing in one transaction, unless a stored one started later: then this listing is stale.
   * @returns the server as it is now, or null when it is gone
   */
  apply(id: string, listed: ListedTool[], facts: ServerFacts): Promise<McpServer | null> {
    return this.source.transaction(async (manager) => {
      const server = await manager.findOne(McpServer, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!server || (server.has_baseline && server.checked_at && server.checked_at > facts.checked_at)) return server;
      return applyListing(manager, server, listed, facts);
    });
  }
}

/** Runs within the caller's transaction, which holds the lock on the server's row. */
export async function applyListing(
  manager: EntityManager,
  server: McpServer,
  listed: ListedTool[],
  facts: ServerFacts,
): Promise<McpServer> {
  const now = new Date();
  const known = await manager.findBy(Tool, { server_id: server.id });
  const { tools, approvals, drift } = reconcile(server, known, listed, now);
  if (tools.length > 0) await manager.save(Tool, tools as object[], { chunk: 200 });
  for (const { tool, by } of approvals) await addVersion(manager, tool, by);
  const before = new Set(known.map(({ id }) => id));
  const added = tools.map(({ id }) => id).filter((id) => !before.has(id));
  if (added.length > 0) await addToSkill(manager, server, added);
  const change = {
    ...facts,
    has_baseline: true,
    health: (drift.length > 0 ? 'drifted' : 'reachable') satisfies Health as Health,
    health_reason: drift.length > 0 ? drift.join('; ').slice(0, 1_000) : null,
  };
  await manager.update(McpServer, { id: server.id }, change as object);
  return { ...server, ...change };
}

/** Adds new tools to the server's Skill. Whether a model gets them depends on their state. */
async function addToSkill(manager: EntityManager, server: McpServer, toolIds: string[]): Promise<void> {
  const skill = await manager.findOne(Skill, {
    where: { server_id: server.id },
    lock: { mode: 'pessimistic_write' },
  });
  if (!skill) return;
  const content = await readContent(manager, skill);
  const tools = [...content.tools, ...toolIds.map((tool) => ({ tool, enabled: true }))];
  await writeContent(manager, skill, { ...content, tools }, 'discovery');
}
