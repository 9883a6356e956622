import type { ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';

/**
 * `leaving`: it is copied to another installation. `aborting`: what arrived there is being deleted. `left`: it is there.
 * `ending`: it is there, and webhooks are refused here; what was taken before is still handed on. `arriving`: it is copied
 * to this one; the row goes when it is opened.
 */
export type HoldState = 'leaving' | 'aborting' | 'left' | 'ending' | 'arriving';

/** Whether the other installation works on it, for good. */
export const hasLeft = (state: HoldState): boolean => state === 'left' || state === 'ending';

/** A public key (RFC 7517). */
export type PublicKey = Record<string, unknown>;

/** A project of which no service claims work: `notHeldSql` asks for its row. */
export interface StoredHold {
  project_id: string;
  organization_id: string;
  state: HoldState;
  /** Where it goes, or comes from. */
  peer: string | null;
  held_by: string;
  held_at: Date;
  changed_at: Date;
  /** The move has closed it: an abort opens it again. */
  closed_here: boolean;
  /** Of one that arrives: the key with which its peer will hand on webhooks. */
  hand_on_key: PublicKey | null;
  /**
   * Of one that has left: since then nothing is handed on any more. Of one that arrives: since then its move is aborted. Either way
   * its rows are of no use here, and may be deleted.
   */
  ended_at: Date | null;
}

export interface ProjectHold extends StoredHold {
  /** `held_at`, to the microsecond. */
  held_since: string;
  /** For how long, and for how long in its state, by the clock of Postgres. */
  held_ms: number;
  changed_ms: number;
}

/** The installation from which a project came, which hands on the webhooks that still come there. */
export interface ProjectPeer {
  project_id: string;
  organization_id: string;
  peer: string;
  hand_on_key: PublicKey;
  since: Date;
}

interface NewHold {
  state: 'leaving' | 'arriving';
  peer: string;
  by: string;
  closedHere?: boolean;
  handOnKey?: PublicKey;
}

export async function findHold(db: Queryable, projectId: string): Promise<ProjectHold | null> {
  const rows = (await db.query(
    `SELECT *, held_at::text AS held_since, extract(epoch FROM now() - held_at)::double precision * 1000 AS held_ms,
            extract(epoch FROM now() - changed_at)::double precision * 1000 AS changed_ms
       FROM journal.project_hold WHERE project_id = $1`,
    [projectId],
  )) as ProjectHold[];
  return rows[0] ?? null;
}

/** Projects that have left, and whose webhooks are handed on. */
export async function findLeft(db: Queryable): Promise<StoredHold[]> {
  return (await db.query(
    `SELECT * FROM journal.project_hold WHERE state IN ('left', 'ending') AND ended_at IS NULL ORDER BY project_id`,
  )) as StoredHold[];
}

/** Holds a project. One that is held stays as it is. @returns whether it was not */
export async function hold(
  tx: Queryable,
  { organizationId, projectId }: ProjectScope,
  { state, peer, by, closedHere = false, handOnKey }: NewHold,
): Promise<boolean> {
  const rows = (await tx.query(
    // Not the begin of the transaction, which may have waited for a lock: others hear of it by its end.
    `INSERT INTO journal.project_hold (project_id, organization_id, state, peer, held_by, held_at, closed_here, hand_on_key)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp(), $6, $7::jsonb) ON CONFLICT (project_id) DO NOTHING RETURNING project_id`,
    [projectId, organizationId, state, peer, by, closedHere, handOnKey ? JSON.stringify(handOnKey) : null],
  )) as unknown[];
  return rows.length > 0;
}

/**
 * One that has left and comes back is arriving. Under a new time: what deletes the rows that it had left knows the former one.
 * @param since the hold whose rows were deleted
 * @returns false when it has not left since then, or something may still be handed on
 */
export async function comeBack(
  tx: Queryable,
  { organizationId, projectId }: ProjectScope,
  { peer, by, handOnKey, since }: { peer: string; by: string; handOnKey: PublicKey; since: string },
): Promise<boolean> {
  const result: unknown = await tx.query(
    `UPDATE journal.project_hold SET state = 'arriving', peer = $3, held_by = $4, hand_on_key = $5::jsonb, closed_here = false,
            held_at = clock_timestamp(), changed_at = clock_timestamp(), ended_at = NULL
      WHERE project_id = $1 AND organization_id = $2 AND state = 'left' AND ended_at IS NOT NULL AND held_at = $6::timestamptz`,
    [projectId, organizationId, peer, by, JSON.stringify(handOnKey), since],
  );
  return (result as [unknown[], number])[1] > 0;
}

/** One that has left stays so: whoever is about to let it come back, under the former time, does not. */
export async function stayLeft(tx: Queryable, { organizationId, projectId }: ProjectScope): Promise<void> {
  await tx.query(
    `UPDATE journal.project_hold SET held_at = clock_timestamp()
      WHERE project_id = $1 AND organization_id = $2 AND state = 'left' AND ended_at IS NOT NULL`,
    [projectId, organizationId],
  );
}

/** What has arrived is of no use any more: it may be deleted, nothing more is stored, and it cannot be opened. */
export async function discard(tx: Queryable, { organizationId, projectId }: ProjectScope): Promise<void> {
  await tx.query(
    `UPDATE journal.project_hold SET ended_at = clock_timestamp(), changed_at = clock_timestamp()
      WHERE project_id = $1 AND organization_id = $2 AND state = 'arriving' AND ended_at IS NULL`,
    [projectId, organizationId],
  );
}

/** From now on the other installation works on it. @returns false when it is not leaving */
export const leave = (tx: Queryable, scope: ProjectScope): Promise<boolean> => change(tx, scope, 'leaving', 'left');

/** From now on it cannot leave: what arrived elsewhere may be deleted. @returns false when it is not leaving */
export const giveUp = (tx: Queryable, scope: ProjectScope): Promise<boolean> =>
  change(tx, scope, 'leaving', 'aborting');

/** From now on its webhooks are refused here. @returns false when it has not left, or they are already */
export const refuseWebhooks = (tx: Queryable, scope: ProjectScope): Promise<boolean> =>
  change(tx, scope, 'left', 'ending');

/** From now on nothing is handed on. @returns false when its webhooks are not refused, or it has ended already */
export const endHandingOn = (tx: Queryable, scope: ProjectScope): Promise<boolean> =>
  change(tx, scope, 'ending', 'left', 'now()');

/** One whose handing on has ended does not change any more. */
async function change(
  tx: Queryable,
  { organizationId, projectId }: ProjectScope,
  from: HoldState,
  to: HoldState,
  endedAt: 'now()' | 'NULL' = 'NULL',
): Promise<boolean> {
  const result: unknown = await tx.query(
    `UPDATE journal.project_hold SET state = $4, changed_at = clock_timestamp(), ended_at = ${endedAt}
      WHERE project_id = $1 AND organization_id = $2 AND state = $3 AND ended_at IS NULL`,
    [projectId, organizationId, from, to],
  );
  return (result as [unknown[], number])[1] > 0;
}

/** Of one that is arriving, whose move began with a release that gave no key. */
export async function giveHandOnKey(
  tx: Queryable,
  { organizationId, projectId }: ProjectScope,
  peer: string,
  key: PublicKey,
): Promise<void> {
  await tx.query(
    `UPDATE journal.project_hold SET hand_on_key = $4::jsonb
      WHERE project_id = $1 AND organization_id = $2 AND peer = $3 AND state = 'arriving' AND hand_on_key IS NULL`,
    [projectId, organizationId, peer, JSON.stringify(key)],
  );
}

/**
 * Lets work begin here, or of what is `discarded` nothing is known here from now on.
 * @returns what was held, or null when it is not held in that state
 */
export async function release(
  tx: Queryable,
  { organizationId, projectId }: ProjectScope,
  state: 'arriving' | 'aborting' | 'discarded',
): Promise<StoredHold | null> {
  const isDiscarded = state === 'discarded';
  const result: unknown = await tx.query(
    `DELETE FROM journal.project_hold WHERE project_id = $1 AND organization_id = $2 AND state = $3
      AND (ended_at IS NOT NULL) = $4 RETURNING *`,
    [projectId, organizationId, isDiscarded ? 'arriving' : state, isDiscarded],
  );
  return (result as [StoredHold[], number])[0][0] ?? null;
}

/** Lets the installation from which it came hand on webhooks. */
export async function keepPeer(tx: Queryable, { project_id, organization_id, peer, hand_on_key }: StoredHold) {
  if (peer === null || hand_on_key === null) return;
  await tx.query(
    `INSERT INTO journal.project_peer (project_id, organization_id, peer, hand_on_key) VALUES ($1, $2, $3, $4::jsonb)
     ON CONFLICT (project_id) DO UPDATE SET peer = excluded.peer, hand_on_key = excluded.hand_on_key, since = now()
       WHERE project_peer.organization_id = excluded.organization_id`,
    [project_id, organization_id, peer, JSON.stringify(hand_on_key)],
  );
}

export async function findPeer(db: Queryable, projectId: string): Promise<ProjectPeer | null> {
  const rows = (await db.query('SELECT * FROM journal.project_peer WHERE project_id = $1', [
    projectId,
  ])) as ProjectPeer[];
  return rows[0] ?? null;
}

/** @returns false when there is none */
export async function forgetPeer(tx: Queryable, { organizationId, projectId }: ProjectScope): Promise<boolean> {
  const result: unknown = await tx.query(
    'DELETE FROM journal.project_peer WHERE project_id = $1 AND organization_id = $2',
    [projectId, organizationId],
  );
  return (result as [unknown[], number])[1] > 0;
}
