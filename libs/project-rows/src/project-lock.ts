import type { ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { findHold } from '#libs/journal';
import { Problem } from '#libs/service-kit';

/**
 * Until the end of its transaction nobody deletes rows of the project, and pages may be stored. Of a move that is aborted, or was
 * begun anew, none is: what deletes its rows may have looked before.
 * @param since `held_since` of the hold under which the page came; absent: it is not asked
 * @throws Problem 409 `not_held`
 */
export async function lockToStore(tx: Queryable, schema: string, scope: ProjectScope, since?: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [keyOf(schema, scope)]);
  if (since === undefined) return;
  const held = await findHold(tx, scope.projectId);
  if (held?.state !== 'arriving' || held.ended_at !== null || held.held_since !== since)
    throw notHeld(scope, 'arriving');
}

/** @returns whether, until the end of its transaction, nobody else stores or deletes rows of the project */
export async function lockToRemove(tx: Queryable, schema: string, scope: ProjectScope): Promise<boolean> {
  const [row] = (await tx.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS free', [
    keyOf(schema, scope),
  ])) as { free: boolean }[];
  return row?.free === true;
}

export const notHeld = ({ projectId }: ProjectScope, needed: string): Problem =>
  new Problem(409, 'not_held', `The project ${projectId} is not ${needed} here.`);

const keyOf = (schema: string, { projectId }: ProjectScope): string => `project-rows ${schema} ${projectId}`;
