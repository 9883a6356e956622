import type { Queryable } from '#libs/database';
import { Problem } from '#libs/service-kit';

/** A caller's Idempotency-Key, and what it asks for under it. */
export interface ReplayKey {
  projectId: string;
  key: string;
  /** Another request under the same key is refused. */
  request: string;
}

/** What a replay under the same key made. */
export interface Replayed {
  run_ids: string[];
}

/**
 * Takes a key; whoever takes it at the same time waits for the end of `tx`.
 * @returns null when it is new, else what was made under it
 * @throws Problem 422 `idempotency_key_reused`
 */
export async function claimReplay(tx: Queryable, { projectId, key, request }: ReplayKey): Promise<Replayed | null> {
  const won = (await tx.query(
    `INSERT INTO router.replay_key (project_id, key, request, run_ids, created_at) VALUES ($1, $2, $3, '{}', now())
     ON CONFLICT DO NOTHING RETURNING key`,
    [projectId, key, request],
  )) as unknown[];
  if (won.length > 0) return null;
  const [first] = (await tx.query('SELECT request, run_ids FROM router.replay_key WHERE project_id = $1 AND key = $2', [
    projectId,
    key,
  ])) as (Replayed & { request: string })[];
  if (first?.request === request) return { run_ids: first.run_ids };
  throw new Problem(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another replay: take a new one.');
}

export async function keepReplay(tx: Queryable, { projectId, key }: ReplayKey, runIds: string[]): Promise<void> {
  await tx.query('UPDATE router.replay_key SET run_ids = $3 WHERE project_id = $1 AND key = $2', [
    projectId,
    key,
    runIds,
  ]);
}
