import type { Queryable } from '#libs/database';

/**
 * Lets one process at a time hand on the webhooks of a project, so that their order stays. It is taken again to have it for
 * longer; no connection is kept meanwhile. One that ran out costs only the order: what is sent twice is stored once.
 * @param owner the process
 * @returns false while another process has it, or when nothing is handed on any more
 */
export async function takeHandOnLease(db: Queryable, projectId: string, owner: string, ms: number): Promise<boolean> {
  const result: unknown = await db.query(
    `UPDATE journal.project_hold SET hand_on_by = $2, hand_on_until = now() + make_interval(secs => $3)
      WHERE project_id = $1 AND ended_at IS NULL
        AND (hand_on_by = $2 OR hand_on_until IS NULL OR hand_on_until <= now())`,
    [projectId, owner, ms / 1_000],
  );
  return (result as [unknown[], number])[1] > 0;
}

export async function endHandOnLease(db: Queryable, projectId: string, owner: string): Promise<void> {
  await db.query(
    'UPDATE journal.project_hold SET hand_on_by = NULL, hand_on_until = NULL WHERE project_id = $1 AND hand_on_by = $2',
    [projectId, owner],
  );
}
