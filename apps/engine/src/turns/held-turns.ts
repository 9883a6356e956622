import type { TurnRunPayload } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import type { Journal } from '#libs/journal';
import { entryOf } from './turn-enqueuer.js';
import type { Turn } from '../entities/turn.entity.js';

/** What happened to the workflows of held turns since the turns were held; by turn id. */
export interface SinceHeld {
  /** Their workflow was suspended and has been released. */
  released: Set<string>;
  /** They wait for more messages, which were discarded. */
  discarded: Set<string>;
}

/**
 * Finds out what was released or discarded while turns were on their way here. The workflow's row stays locked until
 * the caller has stored the turns, so that a later release or discard sees them.
 */
export async function sinceHeld(tx: Queryable, payloads: TurnRunPayload[]): Promise<SinceHeld> {
  const since: SinceHeld = { released: new Set(), discarded: new Set() };
  for (const { turn_id, project_id, run, held } of payloads) {
    if (!held || !run) continue;
    const rows = (await tx.query(
      `INSERT INTO engine.workflow_release AS r (project_id, workflow_id, released_at) VALUES ($1, $2, '-infinity')
       ON CONFLICT (project_id, workflow_id) DO UPDATE SET released_at = r.released_at
       RETURNING r.released_at > $3::timestamptz AS released, r.discarded_at > $3::timestamptz AS discarded`,
      [project_id, run.workflow_id, held.at],
    )) as { released: boolean; discarded: boolean }[];
    if (held.until === 'workflow' && rows[0]?.released) since.released.add(turn_id);
    if (held.until === 'messages' && rows[0]?.discarded) since.discarded.add(turn_id);
  }
  return since;
}

/** Releases turns that wait for their workflow, and those that were held before `at` and have yet to arrive. */
export async function releaseHeld(tx: Queryable, projectId: string, workflowId: number, at: string): Promise<Turn[]> {
  await tx.query(
    `INSERT INTO engine.workflow_release AS r (project_id, workflow_id, released_at) VALUES ($1, $2, $3)
     ON CONFLICT (project_id, workflow_id) DO UPDATE SET released_at = greatest(r.released_at, excluded.released_at)`,
    [projectId, workflowId, at],
  );
  const rows: unknown = await tx.query(
    `UPDATE engine.turn SET state = 'queued', held_for = NULL, due_at = now()
      WHERE project_id = $1 AND workflow_id = $2 AND state = 'held' AND held_for = 'workflow' RETURNING *`,
    [projectId, workflowId],
  );
  return (rows as [Turn[], number])[0];
}

/**
 * Ends a workflow's held turns, whatever they wait for. Turns that wait for messages since before `at` and arrive later
 * are discarded too.
 */
export async function discardHeld(tx: Queryable, projectId: string, workflowId: number, at: string): Promise<Turn[]> {
  await tx.query(
    `INSERT INTO engine.workflow_release AS r (project_id, workflow_id, released_at, discarded_at)
     VALUES ($1, $2, '-infinity', $3)
     ON CONFLICT (project_id, workflow_id) DO UPDATE SET discarded_at = greatest(r.discarded_at, excluded.discarded_at)`,
    [projectId, workflowId, at],
  );
  const rows: unknown = await tx.query(`${discardSql} project_id = $1 AND workflow_id = $2 RETURNING *`, [
    projectId,
    workflowId,
  ]);
  return (rows as [Turn[], number])[0];
}

/** Ends turns that arrived after they were discarded. */
export async function discardLate(tx: Queryable, journal: Journal, turnIds: Set<string>): Promise<void> {
  if (turnIds.size === 0) return;
  const rows: unknown = await tx.query(`${discardSql} id = ANY($1) RETURNING *`, [[...turnIds]]);
  for (const turn of (rows as [Turn[], number])[0]) {
    await journal.appendIn(tx, entryOf(turn, 'failed', 'discarded', null));
  }
}

const discardSql = `
  UPDATE engine.turn SET state = 'failed', reason = 'discarded', reply = 'none', held_for = NULL, ended_at = now()
   WHERE state = 'held' AND`;
