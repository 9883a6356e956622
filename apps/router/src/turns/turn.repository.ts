import type { FinishedTurn } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { TurnRow } from './turn.entity.js';

@Injectable()
export class TurnRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /**
   * Ends turns and their runs, and lets each freed session start what waits behind: all in one transaction, so that no
   * inbox is left standing between "this turn is over" and "is there another?".
   * @returns the turns that may start now
   */
  finish(turns: FinishedTurn[]): Promise<TurnRow[]> {
    const sorted = [...new Map(turns.map((turn) => [turn.turn_id, turn])).values()].sort((a, b) =>
      a.turn_id < b.turn_id ? -1 : 1,
    );
    return this.db.transaction(async (tx) => {
      const ended = await endTurns(tx, sorted);
      await endRuns(tx, ended);
      return startNext(tx, ended);
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

  /** Opens the turns that waited for their workflow to be active again. */
  async release(projectId: string, workflowId: number): Promise<TurnRow[]> {
    return this.db.transaction(async (tx) => {
      const runs: unknown = await tx.query(
        `UPDATE router.run SET state = 'queued' WHERE project_id = $1 AND workflow_id = $2 AND state = 'suspended' RETURNING id`,
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
}

interface Ended {
  id: string;
  run_id: string | null;
  session_id: string | null;
  state: string;
  error: string | null;
}

async function endTurns(tx: EntityManager, turns: FinishedTurn[]): Promise<Ended[]> {
  const rows: unknown = await tx.query(
    `UPDATE router.turn t SET state = f.state, error = f.error, finished_at = now()
       FROM unnest($1::text[], $2::text[], $3::text[]) AS f(id, state, error)
      WHERE t.id = f.id AND t.state = 'open'
      RETURNING t.id, t.run_id, t.session_id, t.state, t.error`,
    [turns.map((turn) => turn.turn_id), turns.map((turn) => turn.state), turns.map((turn) => turn.error)],
  );
  return (rows as [Ended[], number])[0];
}

async function endRuns(tx: EntityManager, ended: Ended[]): Promise<void> {
  const ofRuns = ended.filter((turn) => turn.run_id !== null);
  if (ofRuns.length === 0) return;
  await tx.query(
    `UPDATE router.run r SET state = f.state, error = f.error, finished_at = now()
       FROM unnest($1::text[], $2::text[], $3::text[]) AS f(id, state, error) WHERE r.id = f.id`,
    [ofRuns.map((turn) => turn.run_id), ofRuns.map((turn) => turn.state), ofRuns.map((turn) => turn.error)],
  );
}

async function startNext(tx: EntityManager, ended: Ended[]): Promise<TurnRow[]> {
  const ofSessions = ended.filter((turn) => turn.session_id !== null);
  if (ofSessions.length === 0) return [];
  // Fenced by the turn: a session that has moved on in the meantime is not freed by an old turn's end.
  const freed: unknown = await tx.query(
    `UPDATE router.session SET current_turn_id = NULL, updated_at = now()
      WHERE id IN (SELECT s.id FROM router.session s JOIN unnest($1::text[], $2::text[]) AS f(id, turn)
                    ON s.id = f.id AND s.current_turn_id = f.turn ORDER BY s.key FOR UPDATE OF s)
      RETURNING id`,
    [ofSessions.map((turn) => turn.session_id), ofSessions.map((turn) => turn.id)],
  );
  const sessions = (freed as [{ id: string }[], number])[0].map((session) => session.id);
  if (sessions.length === 0) return [];
  const taken: unknown = await tx.query(
    `DELETE FROM router.session_inbox WHERE seq IN (
       SELECT min(seq) FROM router.session_inbox WHERE session_id = ANY($1) GROUP BY session_id)
     RETURNING session_id, turn_id`,
    [sessions],
  );
  const next = (taken as [{ session_id: string; turn_id: string }[], number])[0];
  if (next.length === 0) return [];
  const started: unknown = await tx.query(
    `WITH started AS (
       UPDATE router.session s SET current_turn_id = n.turn_id, epoch = s.epoch + 1
         FROM unnest($1::text[], $2::text[]) AS n(session_id, turn_id) WHERE s.id = n.session_id
         RETURNING n.turn_id, s.epoch)
     UPDATE router.turn t SET state = 'open', epoch = started.epoch, woken_at = now()
       FROM started WHERE t.id = started.turn_id RETURNING t.*`,
    [next.map((entry) => entry.session_id), next.map((entry) => entry.turn_id)],
  );
  return (started as [TurnRow[], number])[0];
}
