import type { McpSessionEnd } from '#libs/contracts';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { McpServer } from '../entities/mcp-server.entity.js';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { ConnectionOpener, openedForOf } from './connection-opener.js';
import { type Held, HeldConnections } from './held-connections.js';
import type { McpConnection } from './mcp-connection.js';
import { McpError, toMcpError } from './mcp-error.js';
import { type EndedSession, type SessionKey, SessionRepository, type SessionRow } from './session.repository.js';

/** `renewed`: why what the server kept for this conversation is gone; null: it is there. */
type Work<T> = (connection: McpConnection, renewed: McpSessionEnd | null) => Promise<T>;

const shared = '';
const attempts = 3;
/** In addition to a call's own time: two handshakes, and what the database takes. */
const slackMs = 60_000;

/**
 * The connections of this process. A conversation has a session of its own at each server that keeps sessions, unless
 * the server's is shared by choice. The session's row lets any process go on with it.
 */
@Injectable()
export class Connections implements OnApplicationShutdown {
  private readonly logger = new Logger('mcp-connections');
  private readonly held: HeldConnections;

  constructor(
    private readonly opener: ConnectionOpener,
    private readonly sessions: SessionRepository,
    @Inject(SETTINGS) private readonly settings: RegistrySettings,
  ) {
    this.held = new HeldConnections(
      { most: settings.MCP_CONNECTIONS, idleMs: settings.MCP_IDLE_MS },
      (held) => void this.whenIdle(held).catch((error: unknown) => this.idleFailed(held, error)),
      (held) => this.whenFull(held),
    );
  }

  /**
   * Runs the work in the session of a conversation. A server that has lost the session says so before it acts on the
   * request, so the work is then repeated on a new session.
   * @throws McpError
   */
  async use<T>(server: McpServer, conversation: string, work: Work<T>): Promise<T> {
    if (this.opener.isStateless(server)) {
      const result = await this.unkept(server, 'stateless', work);
      if (result) return result.value;
    }
    return this.inSession(server, conversation, work);
  }

  /** Runs work that calls no tool: on a connection of its own, or in the session that all share. @throws McpError */
  async aside<T>(server: McpServer, work: Work<T>): Promise<T> {
    if (server.sessions === 'shared') return this.use(server, 'listing', work);
    const result = await this.unkept(server, 'listing', work);
    if (!result) throw new McpError('session_lost', 'the connection ended', false);
    return result.value;
  }

  /** Ends every session of the server, because it is gone or is reached in another way from now on. */
  async drop(server: McpServer): Promise<void> {
    const ended = await this.sessions.endAll(server.id);
    this.opener.forget(server);
    const own = this.held.all.filter(({ serverId }) => serverId === server.id);
    await Promise.all([...ended.map((one) => this.terminate(server, one)), ...own.map((held) => this.end(held))]);
  }

  /** Ends sessions that nobody uses, those of processes that are gone, too. @returns how many */
  async endIdle(limit: number): Promise<number> {
    const ended = await this.sessions.endIdle(this.settings.MCP_IDLE_MS, limit);
    const ending = ended.map(async (one) => {
      const server = await this.sessions.server(one.server_id);
      if (server) await this.terminate(server, one);
    });
    await Promise.all(ending);
    return ended.length;
  }

  /** The sessions of conversations stay with their servers: the next process goes on with them. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(
      this.held.all.map((held) => (held.conversation === null ? this.end(held) : this.held.close(held))),
    );
    await this.opener.close();
  }

  private async inSession<T>(server: McpServer, user: string, work: Work<T>): Promise<T> {
    const conversation = server.sessions === 'shared' ? shared : user;
    const key = { serverId: server.id, conversation };
    // One that shares has a row of its own for what it was informed of.
    const sharing = conversation === user ? null : { ...key, conversation: `shared ${user}` };
    const openedFor = openedForOf(server);
    const limits = { most: this.settings.MCP_SERVER_SESSIONS, busyMs: this.settings.MCP_CALL_MAX_MS + slackMs };
    const begun = await this.sessions.begin(key, openedFor, limits);
    let { row } = begun;
    let held: Held | null = null;
    let heard: number | null = null;
    try {
      await Promise.all(begun.ended.map((one) => this.terminate(server, one)));
      const knew = sharing ? await this.sessions.sharing(sharing, openedFor, row.lost) : row.heard;
      for (let attempt = 1; ; attempt += 1) {
        if (this.isElsewhere(key, row)) row = await this.sessions.renew(key, row.generation);
        const used = this.heldFor(server, key, openedFor, row);
        held = used;
        const { lost, lost_why: why } = row;
        try {
          const value = await this.held.during(used, (connection) => work(connection, lost > knew ? why : null));
          heard = lost;
          return value;
        } catch (error) {
          const failure = toMcpError(error);
          const connection = await used.opening.catch(() => null);
          if (failure.code !== 'session_lost' && connection?.usable !== false) throw failure;
          await this.held.retire(used);
          // Without a connection, another process has opened the session, and the row has it.
          row = connection ? await this.sessions.renew(key, used.generation) : await this.sessions.current(key);
          if (failure.code !== 'session_lost' || failure.sent || attempt === attempts) throw failure;
        }
      }
    } finally {
      await this.sessions.end(key, sharing ? null : heard);
      if (sharing && heard !== null) await this.sessions.end(sharing, heard);
      if (held) this.held.used(held);
    }
  }

  private heldFor(server: McpServer, key: SessionKey, openedFor: string, row: SessionRow): Held {
    const { generation } = row;
    const known = this.held.get(nameOf(key));
    if (known?.generation === generation && known.openedFor === openedFor) return known;
    if (known) void this.held.retire(known);
    const wanted = { name: nameOf(key), ...key, openedFor, generation };
    return this.held.open(wanted, () => this.opener.ofRow(server, key, row));
  }

  /** Whether the session is an event stream that this process does not have. */
  private isElsewhere(key: SessionKey, { session, protocol_version, generation }: SessionRow): boolean {
    if (session === null || protocol_version !== null) return false;
    return this.held.get(nameOf(key))?.generation !== generation;
  }

  /** On one connection for all: there is nothing to keep. @returns null when the server keeps sessions after all */
  private async unkept<T>(
    server: McpServer,
    kind: 'stateless' | 'listing',
    work: Work<T>,
  ): Promise<{ value: T } | null> {
    const openedFor = openedForOf(server);
    const name = `${kind} ${server.id}`;
    for (let attempt = 1; ; attempt += 1) {
      const known = this.held.get(name);
      if (known && known.openedFor !== openedFor) await this.end(known);
      const wanted = { name, serverId: server.id, conversation: null, openedFor, generation: 0 };
      const held =
        this.held.get(name) ??
        this.held.open(wanted, () => (kind === 'listing' ? this.opener.negotiate(server) : this.opener.open(server)));
      try {
        return await this.held.during(held, async (connection) =>
          kind === 'stateless' && connection.session !== null ? null : { value: await work(connection, null) },
        );
      } catch (error) {
        const failure = toMcpError(error);
        const connection = await held.opening.catch(() => null);
        if (failure.code !== 'session_lost' && connection?.usable !== false) throw failure;
        await this.held.retire(held);
        if (failure.code !== 'session_lost' || failure.sent || attempt === attempts) throw failure;
      }
    }
  }

  private async whenIdle(held: Held): Promise<void> {
    if (held.conversation === null) return this.end(held);
    const key = { serverId: held.serverId, conversation: held.conversation };
    const ended = await this.sessions.endUnused(key, held.generation, 'idle', this.settings.MCP_IDLE_MS);
    if (ended.length > 0) return this.end(held);
    // Another process may have used the session since.
    if (await this.sessions.isLive(key, held.generation)) held.idle.refresh();
    else await this.held.close(held);
  }

  private idleFailed(held: Held, error: unknown): void {
    this.logger.warn({ event: 'session.end.failed', server_id: held.serverId, reason: String(error) });
    held.idle.refresh();
  }

  /** Another process, or this one, can go on with a session; not with an event stream. */
  private async whenFull(held: Held): Promise<void> {
    if (held.conversation === null) return this.end(held);
    const key = { serverId: held.serverId, conversation: held.conversation };
    const connection = await held.opening.catch(() => null);
    if (connection?.kind === 'sse') await this.sessions.endUnused(key, held.generation, 'evicted');
    await this.held.close(held);
  }

  private async terminate(server: McpServer, ended: EndedSession): Promise<void> {
    const own = this.held.get(nameOf({ serverId: ended.server_id, conversation: ended.conversation }));
    const connection = await own?.opening.catch(() => null);
    if (own && connection && connection.session === ended.session) await this.end(own);
    else await this.opener.terminate(server, ended);
  }

  private end(held: Held): Promise<void> {
    return this.held.close(held, (connection) => this.opener.end(connection));
  }
}

const nameOf = ({ serverId, conversation }: SessionKey): string => `session ${serverId} ${conversation}`;
