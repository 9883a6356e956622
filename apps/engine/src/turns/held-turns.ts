import type { TurnRunPayload } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import type { Turn } from './turn.entity.js';

/**
 * Which of these turns, that were held when their workflow was suspended, find it released since. What is not is locked
 * until the caller has stored it, so that a release sees it.
 */
export async function releasedWorkflows(tx: Queryable, payloads: TurnRunPayload[]): Promise<Set<string>> {
  const held = payloads.filter((payload) => payload.held?.until === 'workflow' && payload.run);
  const released = new Set<string>();
  for (const { turn_id, project_id, run, held: since } of held) {
    const rows = (await tx.query(
      `INSERT INTO engine.workflow_release AS r (project_id, workflow_id, released_at) VALUES ($1, $2, '-infinity')
       ON CONFLICT (project_id, workflow_id) DO UPDATE SET released_at = r.released_at
       RETURNING r.released_at > $3::timestamptz AS after`,
      [project_id, run?.workflow_id, since?.at],
    )) as { after: boolean }[];
    if (rows[0]?.after) released.add(turn_id);
  }
  return released;
}

/** Opens the turns that waited for their workflow, and those that were held before `at` and come yet. */
export async function releaseHeld(tx: Queryable, projectId: string, workflowId: number, at: string): Promise<Turn[]> {
  await tx.query(
    `INSERT INTO engine.workflow_release AS r (project_id, workflow_id, released_at) VALUES ($1, $2, $3)
     ON CONFLICT (project_id, workflow_id) DO UPDATE SET released_at = greatest(r.released_at, excluded.released_at)`,
    [projectId, workflowId, at],
  );
  const rows: unknown = await tx.query(
    `UPDATE engine.turn SET state = 'queued', held_for = NULL, lease_until = now()
      WHERE project_id = $1 AND workflow_id = $2 AND state = 'held' AND held_for = 'workflow' RETURNING *`,
    [projectId, workflowId],
  );
  return (rows as [Turn[], number])[0];
}

/** Ends the turns of a workflow that are held, whatever for. */
export async function discardHeld(tx: Queryable, projectId: string, workflowId: number): Promise<Turn[]> {
  const rows: unknown = await tx.query(
    `UPDATE engine.turn SET state = 'failed', error = 'discarded', reply = 'none', held_for = NULL, finished_at = now()
      WHERE project_id = $1 AND workflow_id = $2 AND state = 'held' RETURNING *`,
    [projectId, workflowId],
  );
  return (rows as [Turn[], number])[0];
}
