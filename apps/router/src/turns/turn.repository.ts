import type { FinishedTurn, ProgressedTurn } from '#libs/contracts';
import { withoutFlush } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type KeyedRequest, once } from '../requests/once.js';
import { startNext } from '../sessions/start-next.js';
import type { TurnRow } from './turn.entity.js';

@Injectable()
export class TurnRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /**
   * Ends turns and their runs, and lets each freed session start what waits behind: all in one transaction, so that no
   * inbox is left standing between "this turn is over" and "is there another?".
   * @returns the turns that may start now
   */
  finish(turns: FinishedTurn[], nowMs: number): Promise<TurnRow[]> {
    const newest = turns.toSorted((a, b) => (a.redrives ?? 0) - (b.redrives ?? 0));
    const sorted = [...new Map(newest.map((turn) => [turn.turn_id, turn])).values()].sort((a, b) =>
      a.turn_id < b.turn_id ? -1 : 1,
    );
    return this.db.transaction(async (tx) => {
      const ended = await endTurns(tx, sorted);
      await endRuns(tx, ended);
      return startNext(tx, await freeSessions(tx, ended, nowMs));
    });
  }

  /** Says of runs how their turns stand, unless the turn has ended or later news came before. */
  async progress(turns: ProgressedTurn[]): Promise<void> {
    const newest = new Map<string, ProgressedTurn>();
    for (const turn of [...turns].sort((a, b) => progressOf(a) - progressOf(b))) newest.set(turn.turn_id, turn);
    const sorted = [...newest.values()].sort((a, b) => (a.turn_id < b.turn_id ? -1 : 1));
    await this.db.transaction(async (tx) => {
      const rows: unknown = await tx.query(
        `UPDATE router.turn t SET progress = p.progress
           FROM unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::timestamptz[])
                  AS p(id, progress, state, reason, until)
          WHERE t.id = p.id AND t.state = 'open' AND t.progress < p.progress AND t.run_id IS NOT NULL
          RETURNING t.run_id, p.state, p.reason, p.until`,
        [
          sorted.map((turn) => turn.turn_id),
          sorted.map((turn) => progressOf(turn)),
          sorted.map((turn) => turn.state),
          sorted.map((turn) => turn.reason ?? null),
          sorted.map((turn) => turn.until ?? null),
        ],
      );
      const moved = (rows as [Moved[], number])[0];
      if (moved.length === 0) return;
      await tx.query(
        `UPDATE router.run r SET state = p.state, reason = p.reason, waiting_until = p.until
           FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) AS p(id, state, reason, until)
          WHERE r.id = p.id AND r.state IN ('queued', 'running', 'waiting', 'waiting_approval')`,
        [
          moved.map((turn) => turn.run_id),
          moved.map((turn) => turn.state),
          moved.map((turn) => turn.reason),
          moved.map((turn) => turn.until),
        ],
      );
    });
  }

  /** Open turns that the engine was last asked for before `ageMs` ago; they are marked as asked for now. */
  async overdue(ageMs: number, limit: number): Promise<TurnRow[]> {
    const rows: unknown = await this.db.query(
      `UPDATE router.turn SET woken_at = now()
        WHERE id IN (SELECT id FROM router.turn WHERE state = 'open' AND woken_at < now() - make_interval(secs => $1)
                      ORDER BY woken_at LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING *`,
      [ageMs / 1000, limit],
    );
    return (rows as [TurnRow[], number])[0];
  }

  async find(organizationId: string, projectId: string, id: string): Promise<TurnRow | null> {
    const rows = (await this.db.query(
      'SELECT * FROM router.turn WHERE id = $1 AND organization_id = $2 AND project_id = $3',
      [id, organizationId, projectId],
    )) as TurnRow[];
    return rows[0] ?? null;
  }

  /** The turns of a run, oldest first. */
  async ofRun(runId: string): Promise<TurnRow[]> {
    return (await this.db.query('SELECT * FROM router.turn WHERE run_id = $1 ORDER BY id', [runId])) as TurnRow[];
  }

  /** Opens the turns that waited for their workflow to be active again; those that wait for more messages go on waiting. */
  async release(projectId: string, workflowId: number): Promise<TurnRow[]> {
    return this.db.transaction(async (tx) => {
      const runs: unknown = await tx.query(
        `UPDATE router.run r SET state = 'queued' WHERE project_id = $1 AND workflow_id = $2 AND state = 'suspended'
            AND NOT EXISTS (SELECT FROM router.debounce d WHERE d.run_id = r.id) RETURNING id`,
        [projectId, workflowId],
      );
      const ids = (runs as [{ id: string }[], number])[0].map((run) => run.id);
      const turns: unknown = await tx.query(
        `UPDATE router.turn SET state = 'open', woken_at = now() WHERE run_id = ANY($1) AND state = 'held' RETURNING *`,
        [ids],
      );
      return (turns as [TurnRow[], number])[0];
    });
  }

  /** Ends the runs that waited for their workflow. @returns how many, or how many the first call under the key ended */
  discard(projectId: string, workflowId: number, asked: KeyedRequest | null): Promise<number> {
    return this.db.transaction(async (tx) => {
      const ended = async () => ({ discarded: await discardIn(tx, projectId, workflowId) });
      return (await once(tx, asked, ended)).discarded;
    });
  }

  /**
   * Cancels the turn of a run: at once while it is held; one that the engine has ends when the engine says so.
   * @returns the turn that the engine is to be told of; `ended` when it was held; null when there was nothing to cancel
   */
  async cancelRun(projectId: string, runId: string): Promise<TurnRow | 'ended' | null> {
    return this.db.transaction(async (tx) => {
      await tx.query(
        'DELETE FROM router.debounce d USING router.run r WHERE r.id = $1 AND d.run_id = r.id AND r.project_id = $2',
        [runId, projectId],
      );
      const held: unknown = await tx.query(
        `UPDATE router.run SET state = 'cancelled', error = 'cancelled', finished_at = now()
          WHERE id = $1 AND project_id = $2 AND state = 'suspended' RETURNING id`,
        [runId, projectId],
      );
      if ((held as [unknown[], number])[1] > 0) {
        await endHeld(tx, [runId]);
        return 'ended';
      }
      return askToCancel(tx, `run_id = $1 AND project_id = $2`, [runId, projectId]);
    });
  }

  cancelTurnOf(projectId: string, sessionId: string): Promise<TurnRow | null> {
    return cancelTurnOf(this.db.manager, projectId, sessionId);
  }
}

/** Asks for the end of the turn that a session is busy with. @returns it, or null when there is none */
export function cancelTurnOf(tx: EntityManager, projectId: string, sessionId: string): Promise<TurnRow | null> {
  return askToCancel(tx, `id = (SELECT current_turn_id FROM router.session WHERE id = $1 AND project_id = $2)`, [
    sessionId,
    projectId,
  ]);
}

async function discardIn(tx: EntityManager, projectId: string, workflowId: number): Promise<number> {
  // Before their runs, as where waiting runs are opened: the other order could deadlock.
  await tx.query(
    `DELETE FROM router.debounce d USING router.run r
      WHERE r.id = d.run_id AND r.project_id = $1 AND r.workflow_id = $2 AND r.state = 'suspended'`,
    [projectId, workflowId],
  );
  const runs: unknown = await tx.query(
    `UPDATE router.run SET state = 'cancelled', error = 'discarded', finished_at = now()
      WHERE project_id = $1 AND workflow_id = $2 AND state = 'suspended' RETURNING id`,
    [projectId, workflowId],
  );
  return endHeld(
    tx,
    (runs as [{ id: string }[], number])[0].map((run) => run.id),
  );
}

async function endHeld(tx: EntityManager, runIds: string[]): Promise<number> {
  const ended: unknown = await tx.query(
    `UPDATE router.turn SET state = 'cancelled', finished_at = now() WHERE run_id = ANY($1) AND state = 'held'`,
    [runIds],
  );
  return (ended as [unknown[], number])[1];
}

async function askToCancel(tx: EntityManager, where: string, parameters: unknown[]): Promise<TurnRow | null> {
  const rows: unknown = await tx.query(
    `UPDATE router.turn SET cancel_requested = true, woken_at = now() WHERE ${where} AND state = 'open' RETURNING *`,
    parameters,
  );
  return (rows as [TurnRow[], number])[0][0] ?? null;
}

interface Moved {
  run_id: string;
  state: string;
  reason: string | null;
  until: Date | null;
}

interface Ended extends Pick<TurnRow, 'reply' | 'reason'> {
  id: string;
  run_id: string | null;
  session_id: string | null;
  state: string;
  error: string | null;
}

async function endTurns(tx: EntityManager, turns: FinishedTurn[]): Promise<Ended[]> {
  const rows: unknown = await tx.query(
    `UPDATE router.turn t SET state = f.state, error = f.error, reply = f.reply, reason = f.reason, finished_at = now()
       FROM ${withoutFlush}, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[])
              AS f(id, state, error, reply, reason, redrives)
      WHERE t.id = f.id AND t.state = 'open' AND t.redrives = f.redrives
      RETURNING t.id, t.run_id, t.session_id, t.state, t.error, t.reply, t.reason`,
    [
      turns.map((turn) => turn.turn_id),
      turns.map(turnStateOf),
      turns.map((turn) => turn.error),
      turns.map((turn) => turn.reply ?? null),
      turns.map((turn) => turn.reason ?? null),
      turns.map((turn) => turn.redrives ?? 0),
    ],
  );
  return (rows as [Ended[], number])[0];
}

/** Where a turn has got to: attempts in order, and within one the wait after the running. */
function progressOf({ attempt, state }: ProgressedTurn): number {
  return attempt * 2 + (state === 'running' ? 0 : 1);
}

function turnStateOf({ state, error }: FinishedTurn): string {
  return state === 'failed' && error === 'cancelled' ? 'cancelled' : state;
}

function runStateOf({ state, error }: Ended): string {
  return state === 'failed' && error === 'turn_timeout' ? 'timed_out' : state;
}

async function endRuns(tx: EntityManager, ended: Ended[]): Promise<void> {
  const ofRuns = ended.filter((turn) => turn.run_id !== null);
  if (ofRuns.length === 0) return;
  await tx.query(
    `UPDATE router.run r SET state = f.state, error = f.error, reply = f.reply, reason = f.reason, waiting_until = NULL,
            finished_at = now()
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS f(id, state, error, reply, reason)
      WHERE r.id = f.id`,
    [
      ofRuns.map((turn) => turn.run_id),
      ofRuns.map(runStateOf),
      ofRuns.map((turn) => turn.error),
      ofRuns.map((turn) => turn.reply),
      ofRuns.map((turn) => turn.reason),
    ],
  );
}

/** Frees the sessions whose turn has ended. @returns those that are free now, locked */
async function freeSessions(tx: EntityManager, ended: Ended[], nowMs: number): Promise<string[]> {
  const ofSessions = ended.filter((turn) => turn.session_id !== null);
  if (ofSessions.length === 0) return [];
  // Fenced by the turn: a session that has moved on in the meantime is not freed by an old turn's end.
  const freed: unknown = await tx.query(
    `UPDATE router.session s SET current_turn_id = NULL, updated_at = $3,
            answered_epoch = CASE f.state WHEN 'succeeded' THEN s.epoch ELSE s.answered_epoch END
       FROM (SELECT s.id, f.state FROM router.session s
               JOIN unnest($1::text[], $2::text[], $4::text[]) AS f(id, turn, state)
                 ON s.id = f.id AND s.current_turn_id = f.turn ORDER BY s.key FOR UPDATE OF s) f
      WHERE s.id = f.id RETURNING s.id`,
    [
      ofSessions.map((turn) => turn.session_id),
      ofSessions.map((turn) => turn.id),
      new Date(nowMs),
      ofSessions.map((turn) => turn.state),
    ],
  );
  return (freed as [{ id: string }[], number])[0].map((session) => session.id);
}
