import type { Egress } from '#libs/egress';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ServerCredentials } from '../credentials/server-credentials.js';
import type { McpServer } from '../servers/mcp-server.entity.js';
import { EGRESS } from '../services.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { guardedFetch } from './guarded-fetch.js';
import { McpConnection } from './mcp-connection.js';
import { toMcpError } from './mcp-error.js';

interface Held {
  opening: Promise<McpConnection>;
  /** What it was opened for. Another URL or credential needs a new connection. */
  key: string;
  idle: NodeJS.Timeout;
  /** Turns that have used it. */
  users: Set<string>;
  /** Turns that have to hear that what the server kept for them is gone; `first`: whoever uses it first, too. */
  owed: Set<string>;
  first: boolean;
}

const maxUsers = 10_000;

/** The connections of this process, one per server. They are opened on demand and closed when idle. */
@Injectable()
export class Connections implements OnApplicationShutdown {
  private readonly held = new Map<string, Held>();
  /** Turns that used a session which its server has lost, by server, until there is a new one. */
  private readonly lost = new Map<string, Set<string>>();
  private readonly listeners: ((serverId: string) => void)[] = [];

  constructor(
    @Inject(EGRESS) private readonly egress: Egress,
    private readonly credentials: ServerCredentials,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {}

  /** Calls back when a connected server reports that its list of tools changed. */
  onListChanged(callback: (serverId: string) => void): void {
    this.listeners.push(callback);
  }

  /**
   * Runs the work on the server's connection. A server that has lost the session says so before it acts on the request,
   * so the work is then repeated once on a new session.
   * @param work `renewed`: what the server kept in its session for this user is gone
   * @param user whose state the session may hold
   * @throws McpError
   */
  async use<T>(
    server: McpServer,
    work: (connection: McpConnection, renewed: boolean) => Promise<T>,
    user = '',
  ): Promise<T> {
    const connection = await this.of(server);
    const renewed = this.isRenewed(server.id, user);
    try {
      return await work(connection, renewed);
    } catch (error) {
      const failure = toMcpError(error);
      if (failure.code !== 'session_lost' && connection.usable) throw failure;
      await this.dropLost(server.id, connection);
      if (failure.code !== 'session_lost' || failure.sent) throw failure;
      const next = await this.of(server);
      this.isRenewed(server.id, user);
      return work(next, true);
    }
  }

  private isRenewed(serverId: string, user: string): boolean {
    const held = this.held.get(serverId);
    if (!held) return false;
    const renewed = held.owed.delete(user) || held.first;
    held.first = false;
    if (held.users.size < maxUsers) held.users.add(user);
    return renewed;
  }

  /** As `drop`, for a session that the server has lost. */
  private async dropLost(serverId: string, connection: McpConnection): Promise<void> {
    const held = this.held.get(serverId);
    const dropped = await this.drop(serverId, connection);
    if (held && dropped) this.lost.set(serverId, new Set([...held.owed, ...held.users]));
  }

  /** Closes the server's connection (`only`: if it is that one), because the server is gone or is reached by another credential from now on. */
  async drop(serverId: string, only?: McpConnection): Promise<boolean> {
    const held = this.held.get(serverId);
    if (!held) return false;
    const connection = await held.opening.catch(() => null);
    if (only && connection !== only) return false;
    this.forget(serverId, held);
    await connection?.close();
    return true;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.held.keys()].map((id) => this.drop(id)));
    await this.egress.close();
  }

  private async of(server: McpServer): Promise<McpConnection> {
    const key = `${server.url} ${server.auth_mode} ${server.auth_header} ${server.credential_id}`;
    const known = this.held.get(server.id);
    if (known?.key === key) {
      const connection = await known.opening;
      if (connection.usable) {
        known.idle.refresh();
        return connection;
      }
      await this.dropLost(server.id, connection);
    }
    if (known && known.key !== key) await this.drop(server.id);
    // Another call may have opened one meanwhile.
    const meanwhile = this.held.get(server.id);
    return meanwhile?.key === key ? meanwhile.opening : this.open(server, key);
  }

  private open(server: McpServer, key: string): Promise<McpConnection> {
    if (this.held.size >= this.settings.MCP_CONNECTIONS) {
      const oldest = this.held.keys().next().value;
      if (oldest) void this.drop(oldest);
    }
    const opening = McpConnection.open({
      url: server.url,
      fetch: guardedFetch(this.egress, this.limits(), (url) => this.credentials.authFor(server, url)),
      connectTimeoutMs: this.settings.MCP_CONNECT_TIMEOUT_MS,
      onListChanged: () => this.listeners.forEach((tell) => tell(server.id)),
    });
    const idle = setTimeout(() => void this.drop(server.id), this.settings.MCP_IDLE_MS).unref();
    const users = this.lost.get(server.id);
    this.lost.delete(server.id);
    const held = {
      opening,
      key,
      idle,
      users: new Set<string>(),
      owed: users ?? new Set<string>(),
      first: users !== undefined,
    };
    this.held.set(server.id, held);
    opening.catch(() => {
      this.forget(server.id, held);
      if (users) this.lost.set(server.id, users);
    });
    return opening;
  }

  private forget(serverId: string, held: Held): void {
    clearTimeout(held.idle);
    if (this.held.get(serverId) === held) this.held.delete(serverId);
  }

  private limits() {
    const { MCP_CALL_MAX_MS, MCP_RESPONSE_BYTES, MCP_STREAM_BYTES, MCP_IDLE_MS } = this.settings;
    return {
      answerMs: MCP_CALL_MAX_MS,
      answerBytes: MCP_RESPONSE_BYTES,
      streamBytes: MCP_STREAM_BYTES,
      silenceMs: Math.max(MCP_IDLE_MS, MCP_CALL_MAX_MS),
    };
  }
}
