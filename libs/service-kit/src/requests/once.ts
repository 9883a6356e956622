import type { Principal } from '../principal.js';
import { idempotencyKeyReused } from './idempotency-key.js';

interface Queryable {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

/** A caller's request under its Idempotency-Key. */
export interface KeyedRequest {
  projectId: string;
  key: string;
  /** The request, with everything that matters to it: a different request under the same key is refused. */
  request: string;
}

/** @param key the caller's, or null when there is nothing to remember */
export function keyed(caller: Pick<Principal, 'projectId'>, key: string | null, request: string): KeyedRequest | null {
  return key === null ? null : { projectId: caller.projectId, key, request };
}

/**
 * Does `work` in `tx`, once per caller's key: the key, the work and its answer are committed together. A concurrent
 * request under the same key waits for the end of `tx`. Work that throws leaves the key free.
 * @param schema the service's, with the table `request_key`
 * @param asked null when the caller sent no key
 * @returns the result of `work`, from now or from the earlier request under the key
 * @throws Problem 422 `idempotency_key_reused`
 */
export async function once<T extends object>(
  tx: Queryable,
  schema: 'router' | 'engine',
  asked: KeyedRequest | null,
  work: () => Promise<T>,
): Promise<T> {
  if (!asked) return work();
  const { projectId, key, request } = asked;
  const won = (await tx.query(
    `INSERT INTO ${schema}.request_key (project_id, key, request, created_at) VALUES ($1, $2, $3, now())
     ON CONFLICT DO NOTHING RETURNING key`,
    [projectId, key, request],
  )) as unknown[];
  if (won.length === 0) {
    const [first] = (await tx.query(
      `SELECT request, answer FROM ${schema}.request_key WHERE project_id = $1 AND key = $2`,
      [projectId, key],
    )) as { request: string; answer: T }[];
    if (first?.request !== request) throw idempotencyKeyReused();
    return first.answer;
  }
  const answer = await work();
  await tx.query(`UPDATE ${schema}.request_key SET answer = $3::jsonb WHERE project_id = $1 AND key = $2`, [
    projectId,
    key,
    JSON.stringify(answer),
  ]);
  return answer;
}
