import type { ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';

/**
 * `leaving`: it is copied to another installation. `left`: it is there. `arriving`: it is copied to this one; the row
 * goes when it is opened.
 */
export type HoldState = 'leaving' | 'left' | 'arriving';

/** A project of which no service claims work: `notHeldSql` asks for its row. */
export interface ProjectHold {
  project_id: string;
  organization_id: string;
  state: HoldState;
  /** Where it goes, or comes from. */
  peer: string | null;
  held_by: string;
  held_at: Date;
  changed_at: Date;
}

export async function findHold(db: Queryable, projectId: string): Promise<ProjectHold | null> {
  const rows = (await db.query('SELECT * FROM journal.project_hold WHERE project_id = $1', [
    projectId,
  ])) as ProjectHold[];
  return rows[0] ?? null;
}

/** Holds a project. One that is held stays as it is. @returns whether it was not */
export async function hold(
  tx: Queryable,
  { organizationId, projectId }: ProjectScope,
  { state, peer, by }: { state: 'leaving' | 'arriving'; peer: string; by: string },
): Promise<boolean> {
  const rows = (await tx.query(
    `INSERT INTO journal.project_hold (project_id, organization_id, state, peer, held_by) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (project_id) DO NOTHING RETURNING project_id`,
    [projectId, organizationId, state, peer, by],
  )) as unknown[];
  return rows.length > 0;
}

/** From now on the other installation works on it. @returns false when it is not leaving */
export async function leave(tx: Queryable, { organizationId, projectId }: ProjectScope): Promise<boolean> {
  const result: unknown = await tx.query(
    `UPDATE journal.project_hold SET state = 'left', changed_at = now()
      WHERE project_id = $1 AND organization_id = $2 AND state = 'leaving'`,
    [projectId, organizationId],
  );
  return (result as [unknown[], number])[1] > 0;
}

/** Lets work begin here. @returns false when it is not held in that state */
export async function release(
  tx: Queryable,
  { organizationId, projectId }: ProjectScope,
  state: HoldState,
): Promise<boolean> {
  const result: unknown = await tx.query(
    'DELETE FROM journal.project_hold WHERE project_id = $1 AND organization_id = $2 AND state = $3',
    [projectId, organizationId, state],
  );
  return (result as [unknown[], number])[1] > 0;
}
