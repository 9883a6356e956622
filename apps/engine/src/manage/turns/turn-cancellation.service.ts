import { Database, type Queryable } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { lockSessions, startNext, TurnEnqueuer } from '../../path/turns/start-next.js';
import type { Turn } from '../../entities/turn.entity.js';
import { TurnLeases } from '../../path/turns/running-turns.repository.js';
import { endSql } from '#libs/work';

/** Ends turns on a person's request. */
@Injectable()
export class TurnCancellation {
  constructor(
    private readonly db: Database,
    private readonly leases: TurnLeases,
    private readonly enqueuer: TurnEnqueuer,
  ) {}

  /** Ends a turn, whoever runs it. No reply of it goes out from here on. @returns false when it had already ended */
  async cancel({ id, session_id }: Pick<Turn, 'id' | 'session_id'>): Promise<boolean> {
    const sessions = session_id === null ? [] : [session_id];
    const done = await this.db.transaction(async (tx) => {
      await lockSessions(tx, sessions);
      const turn = await cancelTurn(tx, id);
      return turn && { turn, started: await startNext(tx, sessions) };
    });
    if (!done) return false;
    this.announce(done.turn);
    this.enqueuer.go(done.started);
    return true;
  }

  /** Stops a turn that was cancelled in another transaction, and reports it. */
  announce(turn: Turn): void {
    this.leases.abort(turn.id);
    this.enqueuer.cancelled([turn], 'cancelled');
  }
}

/**
 * Ends a turn as cancelled, whoever runs it, and withdraws its approvals. Its claim can store nothing more. The caller
 * has locked its session.
 * @returns the turn; null when it had already ended
 */
export async function cancelTurn(tx: Queryable, turnId: string): Promise<Turn | null> {
  const rows = (await tx.query(
    `WITH ended AS (
       UPDATE engine.turn SET ${endSql('failed')}, reason = 'cancelled', blocked_since = NULL, held_for = NULL,
              reply = 'none'
        WHERE id = $1 AND state IN ('waiting', 'held', 'queued', 'running', 'waiting_approval') RETURNING *),
     withdrawn AS (UPDATE engine.approval a SET state = 'cancelled', decided_at = now() FROM ended
       WHERE a.turn_id = ended.id AND a.state = 'pending')
     SELECT * FROM ended`,
    [turnId],
  )) as Turn[];
  return rows[0] ?? null;
}
