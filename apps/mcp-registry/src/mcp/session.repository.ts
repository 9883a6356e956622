import type { McpSessionEnd } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { McpServer } from '../entities/mcp-server.entity.js';
import { McpError } from './mcp-error.js';
import type { McpSession } from '../entities/mcp-session.entity.js';

/** Whose session at which server. */
export interface SessionKey {
  serverId: string;
  conversation: string;
}

/** A session as its row has it now. */
export type SessionRow = Pick<
  McpSession,
  'generation' | 'session' | 'protocol_version' | 'lost' | 'lost_why' | 'heard'
>;

/** A session that its row does not have any more, and that the server still may have. */
export type EndedSession = Pick<McpSession, 'server_id' | 'conversation' | 'session' | 'protocol_version'>;

const shown = 'generation, session, protocol_version, lost, lost_why, heard';
const notInUse = '(in_flight = 0 OR busy_until < now())';
const ended = `live = false, session = NULL, protocol_version = NULL, in_flight = 0,
  lost = m.lost + (m.session IS NOT NULL)::integer, lost_why = CASE WHEN m.session IS NULL THEN m.lost_why ELSE $1 END`;
const same = 'm.server_id = old.server_id AND m.conversation = old.conversation';
const was = 'old.server_id, old.conversation, old.session, old.protocol_version';
const oldColumns = 'server_id, conversation, session, protocol_version';

/** Rows of `mcp_session`. Whoever changes a row names the generation that it knows: another process may be ahead. */
@Injectable()
export class SessionRepository {
  constructor(private readonly source: DataSource) {}

  /**
   * Takes the session for one call. At the server's limit, the sessions that were not used for longest are ended.
   * @throws McpError `busy` when all of them have calls in flight
   */
  async begin(
    key: SessionKey,
    openedFor: string,
    { most, busyMs }: { most: number; busyMs: number },
  ): Promise<{ row: SessionRow; ended: EndedSession[] }> {
    const known = await this.take(this.source.manager, key, openedFor, busyMs);
    if (known) return { row: known, ended: [] };
    return this.source.transaction(async (tx) => {
      await lockServer(tx, key.serverId);
      const meanwhile = await this.take(tx, key, openedFor, busyMs);
      if (meanwhile) return { row: meanwhile, ended: [] };
      const others = await this.makeRoom(tx, key, most);
      const own = await this.endWhere(tx, 'changed', 'server_id = $2 AND conversation = $3 AND live', [
        key.serverId,
        key.conversation,
      ]);
      const [row] = (await tx.query(
        `INSERT INTO registry.mcp_session AS m
           (server_id, conversation, opened_for, live, generation, in_flight, busy_until, used_at, lost, heard)
         VALUES ($1, $2, $3, true, 1, 1, now() + $4 * interval '1 ms', now(), 0, 0)
         ON CONFLICT (server_id, conversation) DO UPDATE
           SET opened_for = $3, live = true, generation = m.generation + 1, in_flight = 1,
               busy_until = now() + $4 * interval '1 ms', used_at = now()
         RETURNING ${shown}`,
        [key.serverId, key.conversation, openedFor, busyMs],
      )) as [SessionRow];
      return { row, ended: [...others, ...own] };
    });
  }

  /** Notes that the call has ended. @param heard the losses of which its caller was informed */
  async end({ serverId, conversation }: SessionKey, heard: number | null): Promise<void> {
    await this.source.query(
      `UPDATE registry.mcp_session
          SET in_flight = GREATEST(in_flight - 1, 0), used_at = now(), heard = GREATEST(heard, coalesce($3, heard))
        WHERE server_id = $1 AND conversation = $2`,
      [serverId, conversation, heard],
    );
  }

  /** @returns false when another process has opened this generation, or it is over */
  async opened(
    { serverId, conversation }: SessionKey,
    generation: number,
    session: string,
    protocolVersion: string | null,
  ): Promise<boolean> {
    const [, count] = (await this.source.query(
      `UPDATE registry.mcp_session SET session = $4, protocol_version = $5
        WHERE server_id = $1 AND conversation = $2 AND generation = $3 AND live AND session IS NULL`,
      [serverId, conversation, generation, session, protocolVersion],
    )) as [unknown, number];
    return count > 0;
  }

  /** The next generation after one that the server has lost, or that ended with its process. */
  async renew(key: SessionKey, generation: number): Promise<SessionRow> {
    await this.source.query(
      `UPDATE registry.mcp_session
          SET generation = generation + 1, session = NULL, protocol_version = NULL,
              lost = lost + (session IS NOT NULL)::integer, lost_why = CASE WHEN session IS NULL THEN lost_why ELSE 'lost' END
        WHERE server_id = $1 AND conversation = $2 AND generation = $3 AND live`,
      [key.serverId, key.conversation, generation],
    );
    return this.current(key);
  }

  /** @throws McpError `session_lost` when it was ended meanwhile */
  async current({ serverId, conversation }: SessionKey): Promise<SessionRow> {
    const [row] = (await this.source.query(
      `SELECT ${shown} FROM registry.mcp_session WHERE server_id = $1 AND conversation = $2 AND live`,
      [serverId, conversation],
    )) as SessionRow[];
    if (!row)
      throw new McpError('session_lost', 'the session was ended meanwhile, because the server was changed', false);
    return row;
  }

  async isLive({ serverId, conversation }: SessionKey, generation: number): Promise<boolean> {
    const rows = (await this.source.query(
      `SELECT 1 FROM registry.mcp_session WHERE server_id = $1 AND conversation = $2 AND generation = $3 AND live`,
      [serverId, conversation, generation],
    )) as unknown[];
    return rows.length > 0;
  }

  /** One conversation that shares the session: of how many losses it was informed; those before its first call are none. */
  async sharing({ serverId, conversation }: SessionKey, openedFor: string, lost: number): Promise<number> {
    const [row] = (await this.source.query(
      `INSERT INTO registry.mcp_session AS m
         (server_id, conversation, opened_for, live, generation, in_flight, busy_until, used_at, lost, heard)
       VALUES ($1, $2, $3, false, 0, 0, now(), now(), 0, $4)
       ON CONFLICT (server_id, conversation) DO UPDATE SET used_at = now()
       RETURNING heard`,
      [serverId, conversation, openedFor, lost],
    )) as [{ heard: number }];
    return row.heard;
  }

  /** Forgets what turned out to be no session. */
  async forget({ serverId, conversation }: SessionKey): Promise<void> {
    await this.source.query('DELETE FROM registry.mcp_session WHERE server_id = $1 AND conversation = $2', [
      serverId,
      conversation,
    ]);
  }

  /** Ends one session that has no call in flight. @param idleMs and was not used for that long */
  endUnused(key: SessionKey, generation: number, why: McpSessionEnd, idleMs = 0): Promise<EndedSession[]> {
    return this.endWhere(
      this.source.manager,
      why,
      `server_id = $2 AND conversation = $3 AND generation = $4 AND live AND ${notInUse}
         AND used_at <= now() - $5 * interval '1 ms'`,
      [key.serverId, key.conversation, generation, idleMs],
    );
  }

  /** Ends sessions that nobody has used for that long: those of processes that are gone, too. */
  endIdle(idleMs: number, limit: number): Promise<EndedSession[]> {
    return this.endWhere(
      this.source.manager,
      'idle',
      `live AND ${notInUse} AND used_at <= now() - $2 * interval '1 ms' ORDER BY used_at LIMIT $3`,
      [idleMs, limit],
      'SKIP LOCKED',
    );
  }

  /** Ends every session of a server that was changed or removed. */
  endAll(serverId: string): Promise<EndedSession[]> {
    return this.source.transaction(async (tx) => {
      await lockServer(tx, serverId);
      return this.endWhere(tx, 'changed', 'server_id = $2 AND live', [serverId]);
    });
  }

  /** @returns how many rows of conversations that were not heard of for that long were deleted */
  async dropOld(keepDays: number, limit: number): Promise<number> {
    const [, count] = (await this.source.query(
      `DELETE FROM registry.mcp_session WHERE (server_id, conversation) IN
         (SELECT server_id, conversation FROM registry.mcp_session
           WHERE used_at < now() - $1 * interval '1 day' AND NOT live ORDER BY used_at LIMIT $2)`,
      [keepDays, limit],
    )) as [unknown, number];
    return count;
  }

  server(id: string): Promise<McpServer | null> {
    return this.source.manager.findOneBy(McpServer, { id });
  }

  private async take(
    tx: EntityManager,
    { serverId, conversation }: SessionKey,
    openedFor: string,
    busyMs: number,
  ): Promise<SessionRow | undefined> {
    const [[row]] = (await tx.query(
      `UPDATE registry.mcp_session
          SET in_flight = CASE WHEN busy_until < now() THEN 1 ELSE in_flight + 1 END, used_at = now(),
              busy_until = GREATEST(busy_until, now() + $4 * interval '1 ms')
        WHERE server_id = $1 AND conversation = $2 AND opened_for = $3 AND live RETURNING ${shown}`,
      [serverId, conversation, openedFor, busyMs],
    )) as [SessionRow[], number];
    return row;
  }

  private async makeRoom(tx: EntityManager, { serverId, conversation }: SessionKey, most: number) {
    const [{ count }] = (await tx.query(
      `SELECT count(*)::integer AS count FROM registry.mcp_session WHERE server_id = $1 AND live AND conversation <> $2`,
      [serverId, conversation],
    )) as [{ count: number }];
    const over = count - most + 1;
    if (over <= 0) return [];
    const others = await this.endWhere(
      tx,
      'evicted',
      `server_id = $2 AND conversation <> $3 AND live AND ${notInUse} ORDER BY used_at, conversation LIMIT $4`,
      [serverId, conversation, over],
    );
    if (others.length >= over) return others;
    const message = `all ${most} sessions of this server are in use (MCP_SERVER_SESSIONS): call again when one is free`;
    throw new McpError('busy', message, false);
  }

  /** @param where of which rows, with parameters from $2 on */
  private async endWhere(
    tx: EntityManager,
    why: McpSessionEnd,
    where: string,
    more: unknown[],
    locked = '',
  ): Promise<EndedSession[]> {
    const [rows] = (await tx.query(
      `WITH old AS (SELECT ${oldColumns} FROM registry.mcp_session WHERE ${where} FOR UPDATE ${locked})
       UPDATE registry.mcp_session AS m SET ${ended} FROM old WHERE ${same} RETURNING ${was}`,
      [why, ...more],
    )) as [EndedSession[], number];
    return rows;
  }
}

/** Whoever locks several rows of one server holds this lock. */
async function lockServer(tx: EntityManager, serverId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`mcp_session ${serverId}`]);
}
