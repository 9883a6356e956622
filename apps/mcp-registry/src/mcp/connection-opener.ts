import type { Egress } from '#libs/egress';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { ServerCredentials } from '../credentials/server-credentials.js';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { EGRESS } from '../services.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { guardedFetch } from './guarded-fetch.js';
import type { KnownSession, McpConnection } from './mcp-connection.js';
import { McpError, type McpErrorCode } from './mcp-error.js';
import { type ConnectionTarget, openConnection, resumeConnection } from './open-connection.js';
import { type EndedSession, type SessionKey, SessionRepository, type SessionRow } from './session.repository.js';

/** The first revision without `initialize`: a server of it is asked by `server/discover`. */
const firstWithoutHandshake = '2026-07-28';
/** What a server answers that does not know `initialize` any more. */
const unlikeBefore = new Set<McpErrorCode>(['protocol_error', 'refused', 'session_lost']);

/** Opens connections to servers, within limits and with their credentials. */
@Injectable()
export class ConnectionOpener {
  /** Whether a server keeps no sessions, as its last connection showed. */
  private readonly stateless = new Map<string, boolean>();
  private readonly listeners: ((serverId: string) => void)[] = [];

  constructor(
    @Inject(EGRESS) private readonly egress: Egress,
    private readonly credentials: ServerCredentials,
    private readonly sessions: SessionRepository,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {}

  /** Calls back when a connected server reports that its list of tools changed. */
  onListChanged(callback: (serverId: string) => void): void {
    this.listeners.push(callback);
  }

  isStateless(server: McpServer): boolean {
    return this.stateless.get(server.id) ?? server.stateless;
  }

  /** Forgets what earlier connections showed. */
  forget({ id }: McpServer): void {
    this.stateless.delete(id);
  }

  /**
   * A connection with a session of its own, if the server keeps any. A server whose last listing showed an older revision
   * is initialised at once, without a request that it does not know; if that fails, it is negotiated anew.
   * @throws McpError
   */
  async open(server: McpServer): Promise<McpConnection> {
    const { transport, protocol_version: revision, sessions } = server;
    // The one session that all share is that of listings, too.
    const isOlder =
      sessions !== 'shared' && transport === 'streamable_http' && revision !== null && revision < firstWithoutHandshake;
    if (!isOlder) return this.negotiate(server);
    try {
      return this.opened(server, await openConnection({ ...this.target(server), initializes: true }));
    } catch (error) {
      if (!(error instanceof McpError) || !unlikeBefore.has(error.code)) throw error;
      return this.negotiate(server);
    }
  }

  /** As `open`, but asks for the revision again, as each listing does. @throws McpError */
  async negotiate(server: McpServer): Promise<McpConnection> {
    return this.opened(server, await openConnection(this.target(server)));
  }

  private opened(server: McpServer, connection: McpConnection): McpConnection {
    this.stateless.set(server.id, connection.session === null);
    return connection;
  }

  /** Goes on with the row's session, or opens it. @throws McpError `session_lost` when another process was faster */
  async ofRow(server: McpServer, key: SessionKey, row: SessionRow): Promise<McpConnection> {
    const { session, protocol_version: protocolVersion } = row;
    if (session !== null && protocolVersion !== null) return this.resume(server, { session, protocolVersion });
    const connection = await this.open(server);
    if (connection.session === null) {
      await this.sessions.forget(key);
      return connection;
    }
    const version = connection.kind === 'sse' ? null : connection.protocolVersion;
    if (await this.sessions.opened(key, row.generation, connection.session, version)) return connection;
    await this.end(connection);
    throw new McpError('session_lost', 'another process has opened the session', false);
  }

  /** Ends a session that no row has any more, if anybody can. */
  async terminate(server: McpServer, { session, protocol_version: protocolVersion }: EndedSession): Promise<void> {
    if (session === null || protocolVersion === null) return;
    await this.end(await resumeConnection(this.target(server), { session, protocolVersion }));
  }

  async end(connection: McpConnection): Promise<void> {
    await connection.end(this.settings.MCP_CONNECT_TIMEOUT_MS);
  }

  async close(): Promise<void> {
    await this.egress.close();
  }

  private async resume(server: McpServer, known: KnownSession): Promise<McpConnection> {
    const connection = await resumeConnection(this.target(server), known);
    connection.listen();
    return connection;
  }

  private target(server: McpServer): ConnectionTarget {
    return {
      url: server.url,
      fetch: guardedFetch(this.egress, this.limits(), (url) => this.credentials.authFor(server, url)),
      connectTimeoutMs: this.settings.MCP_CONNECT_TIMEOUT_MS,
      onListChanged: () => this.listeners.forEach((listener) => listener(server.id)),
    };
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

/** What a connection was opened for: another URL or credential needs a new one. */
export function openedForOf({ url, auth_mode, auth_header, credential_id }: McpServer): string {
  return createHash('sha256')
    .update(JSON.stringify([url, auth_mode, auth_header, credential_id]))
    .digest('hex');
}
