import { mcpDiscover } from '#libs/contracts';
import { Sweeper } from '#libs/database';
import { JobClient } from '#libs/queue';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ConnectionOpener } from '../mcp/connection-opener.js';
import { Connections } from '../mcp/connections.js';
import { listTools } from '../mcp/list-tools.js';
import { McpError, toMcpError } from '../mcp/mcp-error.js';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { DiscoveryRepository, type ServerFacts } from './discovery.repository.js';
import { type ListedTool, Listings } from './listed-tool.js';

export interface Listing {
  tools: ListedTool[];
  facts: ServerFacts;
}

/** Lists the tools of servers: on a person's request, when a server reports a changed list, and on schedule. */
@Injectable()
export class DiscoveryService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('discovery');
  private readonly sweeper: Sweeper;
  private readonly listings: Listings;

  constructor(
    private readonly servers: DiscoveryRepository,
    private readonly connections: Connections,
    private readonly opener: ConnectionOpener,
    private readonly jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {
    const { MCP_DEFINITION_BYTES: bytes, MCP_DEFINITION_SCHEMAS: schemas } = settings;
    this.listings = new Listings({ bytes, schemas });
    this.sweeper = new Sweeper({
      name: 'mcp-discovery',
      everyMs: settings.DISCOVERY_SWEEP_MS,
      batch: 100,
      sweep: (limit) => this.enqueueDue(limit),
    });
  }

  onApplicationBootstrap(): void {
    this.opener.onListChanged((id) => void this.jobs.enqueue(mcpDiscover, { server_id: id }));
    this.sweeper.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sweeper.stop();
  }

  /**
   * Lists a server and applies the result. A failure becomes the server's health.
   * @returns null when there is no such server
   */
  async discover(serverId: string): Promise<McpServer | null> {
    const server = await this.servers.find(serverId);
    if (!server) return null;
    const startedAt = new Date();
    try {
      const { tools, facts } = await this.list(server);
      return await this.servers.apply(server.id, tools, facts);
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      this.logger.warn({ event: 'mcp.discover.failed', server_id: server.id, code: error.code });
      const health = error.code === 'auth_failed' ? 'auth_failed' : 'degraded';
      await this.servers.fail(server.id, health, `${error.code}: ${error.message}`, startedAt);
      return this.servers.find(serverId);
    }
  }

  /** @throws McpError */
  async list(server: McpServer): Promise<Listing> {
    const limits = {
      pages: this.settings.MCP_LIST_PAGES,
      tools: this.settings.MCP_LIST_TOOLS,
      bytes: this.settings.MCP_LIST_BYTES,
      timeoutMs: this.settings.MCP_CALL_TIMEOUT_MS,
    };
    const startedAt = new Date();
    try {
      return await this.connections.aside(server, async (connection) => {
        const { tools, ttlMs } = await listTools(connection, limits);
        return {
          tools: this.listings.read(tools, connection.mirrorsArguments),
          facts: {
            transport: connection.kind,
            protocol_version: connection.protocolVersion,
            // A resumed session does not say.
            server_info: connection.serverInfo ?? server.server_info,
            stateless: connection.session === null,
            ...nextListing(ttlMs, this.settings),
            checked_at: startedAt,
          },
        };
      });
    } catch (error) {
      throw toMcpError(error);
    }
  }

  private async enqueueDue(limit: number): Promise<number> {
    const due = await this.servers.takeDue(this.settings.DISCOVERY_EVERY_MS, limit);
    await Promise.all(due.map((id) => this.jobs.enqueue(mcpDiscover, { server_id: id })));
    return due.length;
  }
}

type Intervals = Pick<RegistrySettings, 'DISCOVERY_EVERY_MS' | 'DISCOVERY_TTL_MIN_MS' | 'DISCOVERY_TTL_MAX_MS'>;

/**
 * A listing that says how long it holds is not asked for before; others are listed at the usual interval. Up to a tenth
 * is added, so that servers that were registered together are not listed together for ever.
 */
function nextListing(
  ttlMs: number | null,
  { DISCOVERY_EVERY_MS, DISCOVERY_TTL_MIN_MS, DISCOVERY_TTL_MAX_MS: mostMs }: Intervals,
): Pick<ServerFacts, 'list_ttl_ms' | 'discover_at'> {
  const holdsMs = ttlMs === null ? null : Math.round(Math.min(ttlMs, mostMs));
  const inMs =
    holdsMs === null ? DISCOVERY_EVERY_MS : Math.max(holdsMs, DISCOVERY_TTL_MIN_MS) * (1 + Math.random() / 10);
  return { list_ttl_ms: holdsMs, discover_at: new Date(Date.now() + inMs) };
}
