import { columnsOf, type ContentTrust, isTrustedLess, newId, scopeOf } from '#libs/contracts';
import { type Principal, Problem, requireApprovalsManage } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { CredentialBindings } from '../credentials/credential-bindings.js';
import { requireCredentialRights } from '../credentials/may-use-credentials.js';
import { DiscoveryService, type Listing } from '../discovery/discovery.service.js';
import { Connections } from '../mcp/connections.js';
import { McpError } from '../mcp/mcp-error.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { agentSlug, slugOf } from '../names/model-name.js';
import type { RegisterServer } from './mcp-server.dto.js';
import type { McpServer, Policy } from '../entities/mcp-server.entity.js';
import { checkedAuth, checkedUrl } from './server-auth.js';
import { ServerRepository, SlugTaken } from './server.repository.js';

/**
 * Registers MCP servers: connects, lists the tools, and makes the linked Skill, which mirrors the credential (spec 1,
 * rule 2).
 */
@Injectable()
export class Registration {
  constructor(
    private readonly servers: ServerRepository,
    private readonly discovery: DiscoveryService,
    private readonly bindings: CredentialBindings,
    private readonly connections: Connections,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {}

  /**
   * Nothing is stored for a server that could not be listed, unless it waits to be connected by OAuth.
   * @throws Problem 422 `invalid_url | invalid_auth | mcp_<what went wrong>`, 409 `slug_taken | too_many_servers`, and
   *   those of the vault
   */
  async register(caller: Principal, body: RegisterServer, id = newId('mcp')): Promise<McpServer> {
    if ((await this.servers.count(caller)) >= this.settings.SERVERS_PER_PROJECT) {
      throw new Problem(409, 'too_many_servers', `A project has at most ${this.settings.SERVERS_PER_PROJECT} servers.`);
    }
    if (body.auth?.credential_id) requireCredentialRights(caller);
    requireRightToPolicy(caller, body.policy);
    requireRightToTrust(caller, `the MCP server at ${body.url}`, body.trust);
    if (body.slug === agentSlug) throw slugTaken(agentSlug);
    const url = checkedUrl(body.url);
    const name = body.name ?? url.host;
    const server: McpServer = {
      ...newServer(caller, id, url.href, name),
      ...checkedAuth(body.auth ?? { mode: 'none' }),
      slug: body.slug ?? (await this.servers.freeSlug(caller, slugOf(name))),
      policy: body.policy ?? 'block',
      trust: body.trust ?? 'untrusted',
      sessions: body.sessions ?? 'conversation',
      discover_at: new Date(Date.now() + this.settings.DISCOVERY_EVERY_MS),
    };
    const skillId = newId('skl');
    try {
      await this.bind(server, skillId);
      const listing = await this.list(server);
      return await this.servers.register(withHealth(server, listing), skillOf(server, skillId), listing, caller);
    } catch (error) {
      await this.letGo(server, skillId);
      throw error instanceof SlugTaken ? slugTaken(server.slug) : error;
    }
  }

  /** Removes the vault bindings of the server and its Skill, and closes the connection. */
  async letGo(server: McpServer, skillId: string | null): Promise<void> {
    await this.connections.drop(server);
    if (!server.credential_id) return;
    const scope = scopeOf(server);
    await this.bindings.unbind(scope, { kind: 'mcp_server', id: server.id });
    if (skillId) await this.bindings.unbind(scope, { kind: 'skill', id: skillId });
  }

  /** Calls begin new sessions. */
  async endSessions(server: McpServer): Promise<void> {
    await this.connections.drop(server);
  }

  async bind(server: McpServer, skillId: string | null): Promise<void> {
    if (!server.credential_id) return;
    const scope = scopeOf(server);
    await this.bindings.bind(scope, server.credential_id, { kind: 'mcp_server', id: server.id });
    if (skillId) await this.bindings.bind(scope, server.credential_id, { kind: 'skill', id: skillId });
  }

  private async list(server: McpServer): Promise<Listing | null> {
    try {
      return await this.discovery.list(server);
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      if (error.code === 'auth_failed' && server.auth_mode === 'oauth') return null;
      throw notListed(server, error);
    }
  }
}

/** @throws Problem 403 `scope_missing` for a policy that accepts the server's changes without a person */
export function requireRightToPolicy(caller: Principal, policy: Policy | undefined, now: Policy = 'block'): void {
  if (policy === undefined || policy === now || policy === 'block') return;
  requireApprovalsManage(caller, `Accepting changes of an MCP server without approval (policy ${policy})`);
}

/** @throws Problem 403 `scope_missing` for more trust, which lets agents do more without approval after they read it */
export function requireRightToTrust(
  caller: Principal,
  whose: string,
  trust: ContentTrust | undefined,
  now: ContentTrust = 'untrusted',
): void {
  if (trust === undefined || !isTrustedLess(now, trust)) return;
  requireApprovalsManage(caller, `Trusting results of ${whose} as ${trust} instead of ${now}`);
}

function notListed(server: McpServer, error: McpError): Problem {
  const hint =
    error.code === 'auth_failed' && server.auth_mode === 'none'
      ? ' Register it with auth bearer or header and a credential, or connect it by OAuth.'
      : '';
  return new Problem(422, `mcp_${error.code}`, `The MCP server could not be listed: ${error.message}.${hint}`);
}

function newServer(
  caller: Principal,
  id: string,
  url: string,
  name: string,
): Omit<
  McpServer,
  'auth_mode' | 'auth_header' | 'credential_id' | 'slug' | 'policy' | 'trust' | 'sessions' | 'discover_at'
> {
  const now = new Date();
  return {
    id,
    ...columnsOf(caller),
    name,
    url,
    transport: null,
    protocol_version: null,
    server_info: null,
    list_ttl_ms: null,
    stateless: false,
    has_baseline: false,
    health: 'reachable',
    health_reason: null,
    checked_at: null,
    created_at: now,
    updated_at: now,
  };
}

function withHealth(server: McpServer, listing: Listing | null): McpServer {
  if (listing) return server;
  return { ...server, health: 'auth_failed', health_reason: 'the credential is not connected yet' };
}

/** The server's own text stays out of the Skill's knowledge, which goes to the model unprompted. */
function skillOf(server: McpServer, id: string) {
  const credentials = server.credential_id ? [{ credential_id: server.credential_id, as: server.slug }] : [];
  const content = {
    name: server.name,
    description: `Tools of the MCP server ${server.name}`,
    knowledge: '',
    tools: [],
    credentials,
  };
  return { id, content };
}

function slugTaken(slug: string): Problem {
  return new Problem(409, 'slug_taken', `The slug ${slug} is taken in this project: give another one.`, [
    { field: 'slug', message: 'is taken' },
  ]);
}
