import type { ReplyTarget } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { TurnRow } from '../turns/turn.entity.js';
import { cancelTurnOf } from '../turns/turn.repository.js';
import { startNext } from './start-next.js';

/** `closed`: it was silent for too long, and its successor has another id. */
export const sessionStatuses = ['active', 'taken_over', 'resolved', 'closed'] as const;
type SessionStatus = (typeof sessionStatuses)[number];

export interface SessionRow {
  id: string;
  organization_id: string;
  project_id: string;
  app_id: string;
  key: string;
  agent_id: string | null;
  contact_id: string | null;
  status: SessionStatus;
  inbox_mode: string;
  current_turn_id: string | null;
  /** Grows with every turn that starts. */
  epoch: number;
  /** `epoch` when a person last said something here or took it over; null: never. */
  taken_over_epoch: number | null;
  /** The last turn that succeeded. */
  answered_epoch: number;
  /** Messages that wait for the turn under way, or for the person who has taken over. */
  waiting: number;
  created_at: Date;
  updated_at: Date;
}

/** A person's doing in a session. */
export interface SessionMark {
  at: Date;
  kind: 'takeover' | 'hand_back' | 'resolve' | 'reopen' | 'reset' | 'reply';
  made_by: string;
  /** Of a `reply`. */
  delivery_id: string | null;
}

const selectSql = `
  SELECT s.*, (SELECT count(*)::integer FROM router.session_inbox i WHERE i.session_id = s.id) AS waiting
    FROM router.session s`;

@Injectable()
export class SessionRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  async list(
    organizationId: string,
    projectId: string,
    filter: {
      status: string | null;
      appId: string | null;
      contactId: string | null;
      cursor: string | null;
      limit: number;
    },
  ): Promise<SessionRow[]> {
    return (await this.db.query(
      `${selectSql} WHERE s.organization_id = $1 AND s.project_id = $2 AND ($3::text IS NULL OR s.status = $3)
          AND ($4::text IS NULL OR s.app_id = $4) AND ($5::text IS NULL OR s.contact_id = $5)
          AND ($6::text IS NULL OR s.id < $6) ORDER BY s.id DESC LIMIT $7`,
      [organizationId, projectId, filter.status, filter.appId, filter.contactId, filter.cursor, filter.limit],
    )) as SessionRow[];
  }

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
      'SELECT at, kind, made_by, delivery_id FROM router.session_mark WHERE session_id = $1 ORDER BY at',
      [id],
    )) as SessionMark[];
  }

  /** Where the newest message of a session that can be answered is answered. */
  async lastReplyTarget(id: string): Promise<{ receipt_id: string; reply: ReplyTarget } | null> {
    const rows = (await this.db.query(
      `SELECT receipt_id, input -> 'reply' AS reply FROM router.turn
        WHERE session_id = $1 AND input -> 'reply' ->> 'channel_address' IS NOT NULL ORDER BY id DESC LIMIT 1`,
      [id],
    )) as { receipt_id: string; reply: ReplyTarget }[];
    return rows[0] ?? null;
  }

  /** Notes a person's reply, once. @param text what the next turn is told of it, or null */
  async markReply(id: string, by: string, deliveryId: string, text: string | null): Promise<void> {
    await this.db.query(
      `WITH session AS (
         UPDATE router.session SET taken_over_epoch = epoch WHERE id = $1 RETURNING id, epoch)
       INSERT INTO router.session_mark (session_id, at, kind, made_by, delivery_id, text, epoch)
       SELECT id, clock_timestamp(), 'reply', $2, $3, $4, epoch FROM session ON CONFLICT DO NOTHING`,
      [id, by, deliveryId, text],
    );
  }

  async turns(id: string, cursor: string | null, limit: number): Promise<TurnRow[]> {
    return (await this.db.query(
      'SELECT * FROM router.turn WHERE session_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3',
      [id, cursor, limit],
    )) as TurnRow[];
  }

  /** Moves a session from one of some states to another. @returns false when it is in none of them */
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
   * Takes a session over and cancels its turn under way: nobody sees one without the other.
   * @returns the turn that the engine is to be told of, or null when none was under way; undefined when it cannot be taken over
   */
  async takeOver(projectId: string, id: string, by: string): Promise<TurnRow | null | undefined> {
    for (;;) {
      try {
        return await this.db.transaction((tx) => takeOver(tx, projectId, id, by));
      } catch (error) {
        if (!(error instanceof TurnMovedOn)) throw error;
      }
    }
  }

  /**
   * Ends a takeover, and starts what came meanwhile or leaves it as handled by the person.
   * @returns the turns that were opened; null when nobody had taken the session over
   */
  async handBack(id: string, by: string, answerWaiting: boolean): Promise<TurnRow[] | null> {
    return this.db.transaction(async (tx) => {
      if (!(await move(tx, id, ['taken_over'], 'active', 'hand_back', by))) return null;
      if (!answerWaiting) await markHandled(tx, id);
      return startNext(tx, [id]);
    });
  }
}

/** Between the two locks another turn of the session has begun. */
class TurnMovedOn extends Error {}

async function takeOver(
  tx: EntityManager,
  projectId: string,
  id: string,
  by: string,
): Promise<TurnRow | null | undefined> {
  // The turn before its session, as where turns end: the other order deadlocks with the end of this one.
  const before = await lockTurnOf(tx, id);
  if (!(await move(tx, id, ['active', 'resolved'], 'taken_over', 'takeover', by))) return undefined;
  if ((await turnOf(tx, id)) !== before) throw new TurnMovedOn();
  return cancelTurnOf(tx, projectId, id);
}

async function lockTurnOf(tx: EntityManager, sessionId: string): Promise<string | null> {
  const turnId = await turnOf(tx, sessionId);
  if (turnId !== null) await tx.query('SELECT FROM router.turn WHERE id = $1 FOR UPDATE', [turnId]);
  return turnId;
}

async function turnOf(tx: EntityManager, sessionId: string): Promise<string | null> {
  const [session] = (await tx.query('SELECT current_turn_id FROM router.session WHERE id = $1', [sessionId])) as {
    current_turn_id: string | null;
  }[];
  return session?.current_turn_id ?? null;
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
    `UPDATE router.session SET status = $2, taken_over_epoch = CASE $2 WHEN 'taken_over' THEN epoch ELSE taken_over_epoch END
      WHERE id = $1 AND status = ANY($3)`,
    [id, to, from],
  );
  if ((moved as [unknown[], number])[1] === 0) return false;
  await tx.query(
    'INSERT INTO router.session_mark (session_id, at, kind, made_by) VALUES ($1, clock_timestamp(), $2, $3)',
    [id, kind, by],
  );
  return true;
}

async function markHandled(tx: EntityManager, sessionId: string): Promise<void> {
  const taken: unknown = await tx.query('DELETE FROM router.session_inbox WHERE session_id = $1 RETURNING turn_id', [
    sessionId,
  ]);
  const turns = (taken as [{ turn_id: string }[], number])[0].map((row) => row.turn_id);
  // A message may have waited since before the turns that ran meanwhile: it was handled after them.
  await tx.query(
    `UPDATE router.turn t SET state = 'handled', finished_at = now(), epoch = s.epoch FROM router.session s
      WHERE t.id = ANY($1) AND s.id = t.session_id`,
    [turns],
  );
}
