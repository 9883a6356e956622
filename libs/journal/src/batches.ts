import { newId, type ScopeColumns } from '#libs/contracts';
import type { Queryable } from '#libs/database';

export type BatchKind = 'replay' | 'redrive';

/** One request for many events. */
export interface Batch extends ScopeColumns {
  id: string;
  kind: BatchKind;
  deliver: boolean;
  created_by: string;
  created_at: Date;
}

export interface BatchProgress extends Batch {
  state: 'running' | 'finished';
  total: number;
  done: number;
  failed: number;
  cancelled: number;
  /** The first failures. */
  failures: { id: string; error: string }[];
  /** Of a redrive: what became of its letters so far; `redriving` until that is known. The most frequent comes first. */
  became: { outcome: string; count: number }[];
}

export interface BatchItem {
  subject_id: string;
  /** True when an earlier process started it and did not report how it ended. */
  interrupted: boolean;
}

const shownFailures = 20;

/** Stores a batch and its items in one statement. @returns its id */
export async function createBatch(
  db: Queryable,
  batch: Omit<Batch, 'id' | 'created_at'>,
  subjectIds: string[],
): Promise<string> {
  const id = newId('bat');
  await db.query(
    `WITH made AS (
       INSERT INTO journal.batch (id, organization_id, project_id, kind, deliver, created_by, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, now()) RETURNING id)
     INSERT INTO journal.batch_item (batch_id, subject_id, state)
     SELECT made.id, subject, 'waiting' FROM made, unnest($7::text[]) AS subject`,
    [id, batch.organization_id, batch.project_id, batch.kind, batch.deliver, batch.created_by, subjectIds],
  );
  return id;
}

export async function batchProgress(
  db: Queryable,
  organizationId: string,
  projectId: string,
  id: string,
): Promise<BatchProgress | null> {
  const rows = (await db.query(
    `SELECT b.id, b.organization_id, b.project_id, b.kind, b.deliver, b.created_by, b.created_at,
            count(i.*)::integer AS total,
            count(*) FILTER (WHERE i.state = 'done')::integer AS done,
            count(*) FILTER (WHERE i.state = 'failed')::integer AS failed,
            count(*) FILTER (WHERE i.state = 'cancelled')::integer AS cancelled,
            CASE WHEN bool_or(i.state IN ('waiting', 'running')) THEN 'running' ELSE 'finished' END AS state
       FROM journal.batch b LEFT JOIN journal.batch_item i ON i.batch_id = b.id
      WHERE b.id = $1 AND b.organization_id = $2 AND b.project_id = $3 GROUP BY b.id`,
    [id, organizationId, projectId],
  )) as Omit<BatchProgress, 'failures' | 'became'>[];
  const [batch] = rows;
  if (!batch) return null;
  const failures = (await db.query(
    `SELECT subject_id AS id, error FROM journal.batch_item WHERE batch_id = $1 AND state = 'failed'
      ORDER BY subject_id LIMIT $2`,
    [id, shownFailures],
  )) as BatchProgress['failures'];
  const became = (await db.query(
    `SELECT coalesce(l.outcome, l.state) AS outcome, count(*)::integer AS count
       FROM journal.batch_item i JOIN journal.dead_letter l ON l.id = i.subject_id
      WHERE i.batch_id = $1 AND i.state = 'done' GROUP BY 1 ORDER BY 2 DESC, 1`,
    [id],
  )) as BatchProgress['became'];
  return { ...batch, failures, became };
}

/** The next items of the oldest unfinished batch; null when none waits. */
export async function takeBatchItems(
  db: Queryable,
  limit: number,
  leaseMs: number,
): Promise<{ batch: Batch; items: BatchItem[] } | null> {
  const rows = (await db.query(
    `WITH due AS (
       SELECT batch_id, subject_id, state FROM journal.batch_item
        WHERE state = 'waiting' OR (state = 'running' AND lease_until < now())
        ORDER BY batch_id, subject_id LIMIT $1 FOR UPDATE SKIP LOCKED),
     taken AS (
       UPDATE journal.batch_item i SET state = 'running', lease_until = now() + make_interval(secs => $2)
         FROM due WHERE i.batch_id = due.batch_id AND i.subject_id = due.subject_id
           AND due.batch_id = (SELECT min(batch_id) FROM due)
        RETURNING i.batch_id, i.subject_id, due.state = 'running' AS interrupted)
     SELECT taken.subject_id, taken.interrupted, b.* FROM taken JOIN journal.batch b ON b.id = taken.batch_id
      ORDER BY taken.subject_id`,
    [limit, leaseMs / 1000],
  )) as (Batch & BatchItem)[];
  const [first] = rows;
  return first ? { batch: first, items: rows } : null;
}

/** @param error null when it succeeded */
export async function endBatchItem(
  db: Queryable,
  batchId: string,
  subjectId: string,
  error: string | null,
): Promise<void> {
  await db.query(
    `UPDATE journal.batch_item SET state = $3, error = left($4, 500), lease_until = NULL
      WHERE batch_id = $1 AND subject_id = $2 AND state = 'running'`,
    [batchId, subjectId, error === null ? 'done' : 'failed', error],
  );
}

/** Waiting items will not be started. */
export async function cancelBatch(db: Queryable, batchId: string): Promise<void> {
  await db.query(`UPDATE journal.batch_item SET state = 'cancelled' WHERE batch_id = $1 AND state = 'waiting'`, [
    batchId,
  ]);
}
