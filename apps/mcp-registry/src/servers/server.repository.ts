import { AuditLog } from '#libs/audit';
import { columnsOf, type ContentTrust, type ProjectScope } from '#libs/contracts';
import { containing, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, ILike, In, LessThan, QueryFailedError } from 'typeorm';
import { applyListing, type ServerFacts } from '../discovery/discovery.repository.js';
import type { ListedTool } from '../discovery/listed-tool.js';
import { writeContent } from '../skills/skill-content.repository.js';
import type { SkillContent } from '../entities/skill-version.entity.js';
import { Skill } from '../entities/skill.entity.js';
import type { ServerQuery } from './mcp-server.dto.js';
import type { WorldHints } from './recommended-trust.js';
import { McpSession } from '../entities/mcp-session.entity.js';
import { type Health, McpServer, type Policy, type SessionChoice } from '../entities/mcp-server.entity.js';

/** Another server or Skill has the slug. */
export class SlugTaken extends Error {}

/** What is shown of a server in addition to its row. */
export interface ServerSummary {
  skillId: string | null;
  states: Record<string, number>;
  hints: WorldHints;
}

@Injectable()
export class ServerRepository {
  constructor(
    private readonly source: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Stores a server, its linked Skill and, if it could be listed, its tools, in one transaction.  @throws SlugTaken */
  async register(
    server: McpServer,
    skill: { id: string; content: SkillContent },
    listing: { tools: ListedTool[]; facts: ServerFacts } | null,
    by: Principal,
  ): Promise<McpServer> {
    try {
      return await this.source.transaction(async (manager) => {
        await manager.insert(McpServer, server as object);
        const row: Skill = {
          id: skill.id,
          organization_id: server.organization_id,
          project_id: server.project_id,
          slug: server.slug,
          name: server.name,
          description: skill.content.description,
          knowledge: skill.content.knowledge,
          origin: 'mcp_server',
          server_id: server.id,
          version: 0,
          created_at: server.created_at,
          updated_at: server.created_at,
        };
        await manager.insert(Skill, row);
        await writeContent(manager, row, skill.content, by.subject);
        if (server.policy !== 'block') await this.noted(manager, by, server, null);
        if (server.trust !== 'untrusted') await this.notedTrust(manager, by, server, null);
        if (server.sessions !== 'conversation') await this.notedSessions(manager, by, server, null);
        return listing ? applyListing(manager, server, listing.tools, listing.facts) : server;
      });
    } catch (error) {
      if (error instanceof QueryFailedError && /_slug"/.test(error.message)) throw new SlugTaken();
      throw error;
    }
  }

  /** A slug that no server or Skill of the project has: the wanted one, or the wanted one with a number. */
  async freeSlug(scope: ProjectScope, wish: string): Promise<string> {
    const rows = (await this.source.query('SELECT slug FROM registry.skill WHERE project_id = $1 AND slug LIKE $2', [
      scope.projectId,
      `${wish}%`,
    ])) as { slug: string }[];
    const taken = new Set(rows.map(({ slug }) => slug));
    for (let n = 2, slug = wish; ; n += 1) {
      if (!taken.has(slug)) return slug;
      slug = `${wish.slice(0, 36)}-${n}`;
    }
  }

  find(scope: ProjectScope, id: string): Promise<McpServer | null> {
    return this.source.manager.findOneBy(McpServer, { ...columnsOf(scope), id });
  }

  async findAll(scope: ProjectScope, ids: string[]): Promise<McpServer[]> {
    return ids.length === 0 ? [] : this.source.manager.findBy(McpServer, { id: In(ids), ...columnsOf(scope) });
  }

  list(scope: ProjectScope, { limit, cursor, health, search }: ServerQuery): Promise<McpServer[]> {
    return this.source.manager.find(McpServer, {
      where: {
        ...columnsOf(scope),
        ...(cursor ? { id: LessThan(cursor) } : {}),
        ...(health ? { health } : {}),
        ...(search ? { name: ILike(containing(search)) } : {}),
      },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  count(scope: ProjectScope): Promise<number> {
    return this.source.manager.countBy(McpServer, columnsOf(scope));
  }

  /** @param by who changed it; a change of the policy, the trust or the sessions is noted in the audit log */
  async update(id: string, change: Partial<McpServer>, by: Principal): Promise<void> {
    await this.source.transaction(async (manager) => {
      const before = await manager.findOne(McpServer, { where: { id }, lock: { mode: 'pessimistic_write' } });
      if (!before) return;
      await manager.update(McpServer, { id }, { ...change, updated_at: new Date() } as object);
      const { policy = before.policy } = change;
      if (policy !== before.policy) await this.noted(manager, by, { ...before, policy }, before.policy);
      const { trust = before.trust } = change;
      if (trust !== before.trust) await this.notedTrust(manager, by, { ...before, trust }, before.trust);
      const { sessions = before.sessions } = change;
      if (sessions !== before.sessions) await this.notedSessions(manager, by, { ...before, sessions }, before.sessions);
    });
  }

  /**
   * Health as the last call found it, unless a listing started later. A call says nothing about the list, so it is no
   * check of it.
   */
  async follow(id: string, failure: { health: Health; reason: string } | null, startedAt: Date): Promise<void> {
    await this.source.query(
      `UPDATE registry.mcp_server SET health_reason = $3, health = coalesce($2,
              CASE WHEN EXISTS (SELECT 1 FROM registry.tool WHERE server_id = $1 AND state IN ('pending', 'changed'))
                   THEN 'drifted' ELSE 'reachable' END)
        WHERE id = $1 AND (checked_at IS NULL OR checked_at <= $4)`,
      [id, failure?.health ?? null, failure?.reason.slice(0, 1_000) ?? null, startedAt],
    );
  }

  /** Deletes its tools and its Skill as well. */
  async delete(scope: ProjectScope, id: string): Promise<void> {
    await this.source.transaction(async (manager) => {
      const { affected } = await manager.delete(McpServer, { ...columnsOf(scope), id });
      if (affected) await manager.delete(McpSession, { server_id: id });
    });
  }

  async summaries(ids: string[]): Promise<Map<string, ServerSummary>> {
    const rows = (await this.source.query(
      `SELECT s.server_id, s.id AS skill_id, t.state, count(t.id)::integer AS count,
              count(*) FILTER (WHERE coalesce(t.definition, t.candidate) #> '{annotations,openWorldHint}' = 'true')::integer AS open,
              count(*) FILTER (WHERE coalesce(t.definition, t.candidate) #> '{annotations,openWorldHint}' = 'false')::integer AS closed
         FROM registry.skill s LEFT JOIN registry.tool t ON t.server_id = s.server_id
        WHERE s.server_id = ANY($1) GROUP BY s.server_id, s.id, t.state`,
      [ids],
    )) as SummaryRow[];
    const summaries = new Map<string, ServerSummary>();
    for (const { server_id, skill_id, state, count, open, closed } of rows) {
      const summary = summaries.get(server_id) ?? {
        skillId: skill_id,
        states: {},
        hints: { open: 0, closed: 0, tools: 0 },
      };
      if (state) summary.states[state] = count;
      const { hints } = summary;
      if (state !== 'removed') Object.assign(hints, sumOf(hints, { open, closed, tools: count }));
      summaries.set(server_id, summary);
    }
    return summaries;
  }

  private async noted(
    tx: EntityManager,
    by: Principal,
    { id, name, policy }: McpServer,
    before: Policy | null,
  ): Promise<void> {
    const was = before === null ? null : { name, policy: before };
    const entry = { action: 'mcp_server.policy_set' as const, subject: id, before: was, after: { name, policy } };
    await this.audit.append(tx, by, entry);
  }

  private async notedTrust(
    tx: EntityManager,
    by: Principal,
    { id, name, trust }: McpServer,
    before: ContentTrust | null,
  ): Promise<void> {
    const was = before === null ? null : { name, trust: before };
    const entry = { action: 'mcp_server.trust_set' as const, subject: id, before: was, after: { name, trust } };
    await this.audit.append(tx, by, entry);
  }

  private async notedSessions(
    tx: EntityManager,
    by: Principal,
    { id, name, sessions }: McpServer,
    before: SessionChoice | null,
  ): Promise<void> {
    const was = before === null ? null : { name, sessions: before };
    const entry = { action: 'mcp_server.sessions_set' as const, subject: id, before: was, after: { name, sessions } };
    await this.audit.append(tx, by, entry);
  }
}

interface SummaryRow extends Omit<WorldHints, 'tools'> {
  server_id: string;
  skill_id: string;
  state: string | null;
  count: number;
}

function sumOf(a: WorldHints, b: WorldHints): WorldHints {
  return { open: a.open + b.open, closed: a.closed + b.closed, tools: a.tools + b.tools };
}
