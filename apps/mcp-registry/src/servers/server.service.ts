import { notFound, type Page, pageOf, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { requireCredentialRights } from '../credentials/may-use-credentials.js';
import { DiscoveryService } from '../discovery/discovery.service.js';
import { VaultCredentials } from '../credentials/vault-credentials.js';
import { AgentUsage } from '../agents/agent-usage.js';
import type { ChangeServer, ServerQuery, ServerView } from './mcp-server.dto.js';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { Registration, requireRightToPolicy, requireRightToTrust } from './registration.service.js';
import { checkedAuth } from './server-auth.js';
import { recommendedTrust } from './recommended-trust.js';
import { ServerRepository, type ServerSummary } from './server.repository.js';

@Injectable()
export class ServerService {
  constructor(
    private readonly servers: ServerRepository,
    private readonly registration: Registration,
    private readonly discovery: DiscoveryService,
    private readonly credentials: VaultCredentials,
    private readonly usage: AgentUsage,
  ) {}

  async list(caller: Principal, query: ServerQuery): Promise<Page<ServerView>> {
    const page = pageOf(
      await this.servers.list(caller, { ...query, limit: query.limit + 1 }),
      query.limit,
      (row) => row.id,
    );
    const summaries = await this.servers.summaries(page.data.map(({ id }) => id));
    return { data: page.data.map((row) => viewOf(row, summaries.get(row.id))), next_cursor: page.next_cursor };
  }

  async view(caller: Principal, id: string): Promise<ServerView> {
    const server = await this.get(caller, id);
    return viewOf(server, (await this.servers.summaries([id])).get(id));
  }

  /** Connection changes take effect with the next request. @throws Problem as `register` */
  async change(caller: Principal, id: string, { auth, ...columns }: ChangeServer): Promise<ServerView> {
    if (auth?.credential_id) requireCredentialRights(caller);
    const server = await this.get(caller, id);
    requireRightToPolicy(caller, columns.policy, server.policy);
    requireRightToTrust(caller, server.name, columns.trust, server.trust);
    const change = auth ? checkedAuth(auth) : {};
    if (auth) {
      const skillId = (await this.servers.summaries([id])).get(id)?.skillId ?? null;
      await this.registration.letGo(server, skillId);
      await this.registration.bind({ ...server, ...change }, skillId);
    }
    await this.servers.update(id, { ...columns, ...change }, caller);
    if (columns.sessions !== undefined && columns.sessions !== server.sessions)
      await this.registration.endSessions(server);
    if (auth) await this.discovery.discover(id);
    return this.view(caller, id);
  }

  async rediscover(caller: Principal, id: string): Promise<ServerView> {
    await this.get(caller, id);
    await this.discovery.discover(id);
    return this.view(caller, id);
  }

  /**
   * Removes the server, its tools, its Skill, and the credential that was made for it, whose tokens are revoked.
   * @throws Problem 409 `server_in_use`, naming the agents, unless forced; 503 when the vault does not answer
   */
  async unregister(caller: Principal, id: string, force: boolean): Promise<void> {
    const server = await this.get(caller, id);
    const skillId = (await this.servers.summaries([id])).get(id)?.skillId ?? null;
    const agents = skillId && !force ? await this.usage.of(caller, 'skill', skillId) : [];
    if (agents.length > 0) {
      const names = agents.map((agent) => agent.name).join(', ');
      throw new Problem(
        409,
        'server_in_use',
        `Agents have its Skill: ${names}. Remove it from them, or unregister with force=true.`,
        agents.map((agent) => ({ field: agent.id, message: agent.name })),
      );
    }
    await this.registration.letGo(server, skillId);
    // Before the server's row: while that exists, the removal can be repeated if the vault did not answer.
    if (server.auth_mode === 'oauth' && server.credential_id) {
      await this.credentials.remove(caller, id, server.credential_id);
    }
    await this.servers.delete(caller, id);
  }

  /** @throws Problem 404 `mcp_server_not_found` */
  async get(caller: Principal, id: string): Promise<McpServer> {
    const server = await this.servers.find(caller, id);
    if (!server) throw notFound('mcp_server', id);
    return server;
  }
}

function viewOf(row: McpServer, summary: ServerSummary | undefined): ServerView {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    url: row.url,
    transport: row.transport,
    protocol_version: row.protocol_version,
    list_ttl_ms: row.list_ttl_ms,
    next_listing_at: row.discover_at.toISOString(),
    server_info: row.server_info,
    auth: { mode: row.auth_mode, header: row.auth_header, credential_id: row.credential_id },
    policy: row.policy,
    trust: row.trust,
    sessions: row.sessions,
    recommended_trust: recommendedTrust(row.url, summary?.hints ?? { open: 0, closed: 0, tools: 0 }),
    health: row.health,
    health_reason: row.health_reason,
    checked_at: row.checked_at?.toISOString() ?? null,
    skill_id: summary?.skillId ?? null,
    tools: summary?.states ?? {},
    created_at: row.created_at.toISOString(),
  };
}
