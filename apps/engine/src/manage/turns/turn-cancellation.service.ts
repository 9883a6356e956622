import { Database, type Queryable } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { lockSessions, startNext, TurnEnqueuer } from '../../path/turns/start-next.js';
import type { Turn } from '../../entities/turn.entity.js';
import { AgentCalls } from '../../path/calls/agent-call.repository.js';
import { TurnLeases } from '../../path/turns/running-turns.repository.js';
import { endSql } from '#libs/work';

/** Ends turns on a person's request. */
@Injectable()
export class TurnCancellation {
  constructor(
    private readonly db: Database,
    private readonly leases: TurnLeases,
    private readonly enqueuer: TurnEnqueuer,
    private readonly calls: AgentCalls,
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
    void this.calls.wakeCallerOf(turn);
  }
}

/**
 * Ends a turn as cancelled, whoever runs it, with the turns that it called, and withdraws their approvals. Its claim can store nothing more. The caller
 * has locked its session.
 * @returns the turn; null when it had already ended
 */
export async function cancelTurn(tx: Queryable, turnId: string): Promise<Turn | null> {
  // Whoever is just storing a turn that this one calls holds it: afterwards that turn is seen.
  await tx.query('SELECT FROM engine.turn WHERE id = $1 FOR UPDATE', [turnId]);
  const ended = await endWithCalled(tx, turnId);
  // Those that it called may have called others while this waited for them. They call no more.
  for (let more = ended; more.length > 0;) more = await endWithCalled(tx, turnId);
  return ended.find(({ id }) => id === turnId) ?? null;
}

async function endWithCalled(tx: Queryable, turnId: string): Promise<Turn[]> {
  return (await tx.query(
    `WITH RECURSIVE asked AS (
       SELECT $1::text AS id
       UNION SELECT t.id FROM asked JOIN engine.turn t ON t.called_by = asked.id),
     ended AS (
       UPDATE engine.turn SET ${endSql('failed')}, reason = 'cancelled', blocked_since = NULL, held_for = NULL,
              reply = 'none'
        WHERE id IN (SELECT id FROM asked) AND state IN ('waiting', 'held', 'queued', 'running', 'waiting_approval') RETURNING *),
     withdrawn AS (UPDATE engine.approval a SET state = 'cancelled', decided_at = now() FROM ended
       WHERE a.turn_id = ended.id AND a.state = 'pending')
     SELECT * FROM ended`,
    [turnId],
  )) as Turn[];
}
