import {
  type ReplyTarget,
  type ScopeColumns,
  scopeOf,
  type StoredReplyTarget,
  wholeReplyTarget,
} from '#libs/contracts';
import { Database } from '#libs/database';
import { type EventResult, eventResult, latestEntries, type LatestEntry } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { activeStates, type Turn } from '../../entities/turn.entity.js';
import { cancelTurn } from '../turns/turn-cancellation.service.js';
import { answeredEpoch, lockSessions, type Started, startNext } from '../../path/turns/start-next.js';

/** `closed`: it was silent for too long; its successor has another id. */
export const sessionStatuses = ['active', 'taken_over', 'resolved', 'closed'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export interface SessionRow extends ScopeColumns {
  id: string;
  app_id: string;
  key: string;
  agent_id: string | null;
  contact_id: string | null;
  status: SessionStatus;
  inbox_mode: string;
  current_turn_id: string | null;
  /** Increases with every message and every turn that starts. */
  epoch: number;
  /** `epoch` when a person last wrote here or took the session over; null: never. */
  taken_over_epoch: number | null;
  /** Who takes care of it: `user:<id>`. */
  assigned_to: string | null;
  /** `epoch` of the last turn that succeeded. */
  answered_epoch: number;
  /** Messages that wait for the running turn or for the person who has taken over. */
  waiting: number;
  created_at: Date;
  updated_at: Date;
}

type ListedTurn = Turn & { result: EventResult | null };

/** An action of a person in a session. */
export interface SessionMark {
  at: Date;
  kind: 'takeover' | 'hand_back' | 'resolve' | 'reopen' | 'reset' | 'reply';
  made_by: string;
  /** Of a `reply` only. */
  delivery_id: string | null;
}

/** What the API shows of a session `s`. */
export const sessionColumns = `
  SELECT s.id, s.organization_id, s.project_id, s.app_id, s.key, s.agent_id, s.contact_id, s.status, s.inbox_mode, s.epoch,
         s.taken_over_epoch, s.assigned_to, ${answeredEpoch('s')} AS answered_epoch, s.created_at,
         (SELECT id FROM engine.turn t WHERE t.session_id = s.id AND t.state IN ${activeStates}) AS current_turn_id,
         (SELECT count(*)::integer FROM engine.turn t WHERE t.session_id = s.id AND t.state = 'waiting') AS waiting,
         greatest(s.updated_at, (SELECT max(ended_at) FROM engine.turn t WHERE t.session_id = s.id)) AS updated_at`;
const selectSql = `${sessionColumns} FROM engine.session s`;
@Injectable()
export class SessionRepository {
  constructor(private readonly db: Database) {}

  async find(organizationId: string, projectId: string, id: string): Promise<SessionRow | null> {
    const rows = (await this.db.query(`${selectSql} WHERE s.id = $1 AND s.organization_id = $2 AND s.project_id = $3`, [
      id,
      organizationId,
      projectId,
    ])) as SessionRow[];
    return rows[0] ?? null;
  }

  async marks(id: string): Promise<SessionMark[]> {
    return (await this.db.query(
      'SELECT at, kind, made_by, delivery_id FROM engine.session_mark WHERE session_id = $1 ORDER BY at',
      [id],
    )) as SessionMark[];
  }

  /** The reply address of the newest message in a session that has one. */
  async lastReplyTarget(id: string): Promise<{ receipt_id: string; reply: ReplyTarget } | null> {
    const rows = (await this.db.query(
      `SELECT receipt_id, app_id, input -> 'reply' AS reply FROM engine.turn
        WHERE session_id = $1 AND input -> 'reply' ->> 'channel_address' IS NOT NULL ORDER BY id DESC LIMIT 1`,
      [id],
    )) as { receipt_id: string; app_id: string; reply: StoredReplyTarget }[];
    const [last] = rows;
    return last ? { receipt_id: last.receipt_id, reply: wholeReplyTarget(last.reply, last.app_id) } : null;
  }

  /** Records a person's reply, once. @param text what the next turn is shown of it, or null */
  async markReply(id: string, by: string, deliveryId: string, text: string | null): Promise<void> {
    await this.db.query(
      `WITH session AS (
         UPDATE engine.session SET taken_over_epoch = epoch WHERE id = $1 RETURNING id, epoch)
       INSERT INTO engine.session_mark (session_id, at, kind, made_by, delivery_id, text, epoch)
       SELECT id, clock_timestamp(), 'reply', $2, $3, $4, epoch FROM session ON CONFLICT DO NOTHING`,
      [id, by, deliveryId, text],
    );
  }

  /** Its turns, newest first, each with what became of it. */
  async turns({ id, ...session }: SessionRow, cursor: string | null, limit: number): Promise<ListedTurn[]> {
    const turns = (await this.db.query(
      'SELECT * FROM engine.turn WHERE session_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3',
      [id, cursor, limit],
    )) as Turn[];
    const scope = scopeOf(session);
    const events = [...new Set(turns.map((turn) => turn.receipt_id))];
    const latest = await latestEntries(this.db, scope, events);
    return turns.map((turn) => ({ ...turn, result: resultOf(turn.id, latest) }));
  }

  /** Moves a session from one of the given states to another. @returns false when it is in none of them */
  async move(
    id: string,
    from: SessionStatus[],
    to: SessionStatus,
    kind: SessionMark['kind'],
    by: string,
  ): Promise<boolean> {
    return this.db.transaction((tx) => move(tx, id, from, to, kind, by));
  }

  /**
   * Takes a session over and cancels its running turn in one transaction, so nobody sees one without the other.
   * @returns the cancelled turn, or null when none was in flight; undefined when the session cannot be taken over
   */
  takeOver(id: string, by: string): Promise<Turn | null | undefined> {
    return this.db.transaction(async (tx) => {
      if (!(await move(tx, id, ['active', 'resolved'], 'taken_over', 'takeover', by))) return undefined;
      const turnId = await activeTurn(tx, id);
      return turnId === null ? null : cancelTurn(tx, turnId);
    });
  }

  /** Cancels the running turn and starts what waits behind it. @returns null when none was in flight */
  cancelTurn(id: string): Promise<{ cancelled: Turn; started: Started } | null> {
    return this.db.transaction(async (tx) => {
      await lockSessions(tx, [id]);
      const turnId = await activeTurn(tx, id);
      const cancelled = turnId === null ? null : await cancelTurn(tx, turnId);
      return cancelled && { cancelled, started: await startNext(tx, [id]) };
    });
  }

  /**
   * Ends a takeover. What arrived meanwhile is started, or left as handled by the person.
   * @returns null when nobody had taken the session over
   */
  handBack(id: string, by: string, answerWaiting: boolean): Promise<{ started: Started; handled: Turn[] } | null> {
    return this.db.transaction(async (tx) => {
      if (!(await move(tx, id, ['taken_over'], 'active', 'hand_back', by))) return null;
      const handled = answerWaiting ? [] : await markHandled(tx, id);
      return { handled, started: await startNext(tx, [id]) };
    });
  }
}

/** The turn that a session is busy with. The caller has locked the session. */
async function activeTurn(tx: EntityManager, sessionId: string): Promise<string | null> {
  const rows = (await tx.query(`SELECT id FROM engine.turn WHERE session_id = $1 AND state IN ${activeStates}`, [
    sessionId,
  ])) as { id: string }[];
  return rows[0]?.id ?? null;
}

async function move(
  tx: EntityManager,
  id: string,
  from: SessionStatus[],
  to: SessionStatus,
  kind: SessionMark['kind'],
  by: string,
): Promise<boolean> {
  const moved: unknown = await tx.query(
    `UPDATE engine.session SET status = $2, taken_over_epoch = CASE $2 WHEN 'taken_over' THEN epoch ELSE taken_over_epoch END
      WHERE id = $1 AND status = ANY($3)`,
    [id, to, from],
  );
  if ((moved as [unknown[], number])[1] === 0) return false;
  await tx.query(
    'INSERT INTO engine.session_mark (session_id, at, kind, made_by) VALUES ($1, clock_timestamp(), $2, $3)',
    [id, kind, by],
  );
  return true;
}

async function markHandled(tx: EntityManager, sessionId: string): Promise<Turn[]> {
  // A message may have waited since before turns that ran meanwhile. It gets the current epoch because it was handled
  // after them.
  const rows: unknown = await tx.query(
    `UPDATE engine.turn t SET state = 'handled', ended_at = now(), epoch = s.epoch FROM engine.session s
      WHERE s.id = $1 AND t.session_id = s.id AND t.state = 'waiting' RETURNING t.*`,
    [sessionId],
  );
  return (rows as [Turn[], number])[0];
}

/** @param latest the last entries of the turn's event; none: it was never recorded, or is no longer kept */
export function resultOf(turnId: string, latest: LatestEntry[]): EventResult | null {
  const last = latest.find(({ stage, subject_id }) => stage === 'turn' && subject_id === turnId);
  return last ? eventResult([{ id: turnId, last }], latest) : null;
}
