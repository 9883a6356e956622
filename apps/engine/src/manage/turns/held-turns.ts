import type { Queryable } from '#libs/database';
import { discardSql } from '../../path/turns/arrivals.js';
import type { Turn } from '../../entities/turn.entity.js';

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
