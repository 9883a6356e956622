import type { Order, ProjectScope, TerminalOutcome } from '#libs/contracts';
import { keyset, type Queryable } from '#libs/database';
import { everyEntry } from './entries-in-rows.js';

export interface EventSummary {
  id: string;
  app_id: string;
  received_at: Date;
  /** The receipt's latest outcome (a redriven one ends again), or null while it is in flight. */
  outcome: TerminalOutcome | null;
  reason: string | null;
}

export interface EventQuery extends ProjectScope {
  limit: number;
  order: Order;
  /** The last id of the previous page. */
  cursor: string | null;
  appId: string | null;
  outcome: TerminalOutcome | null;
  /** Receipts from this id on, and before that one: ids contain the time. */
  fromId: string | null;
  toId: string | null;
}

/** Not `at` itself: without statistics, the planner would walk its index back to a receipt's few entries. */
const latest = 'extract(epoch FROM at) DESC';

/** A page of receipts, each with its outcome. */
export async function listEvents(db: Queryable, query: EventQuery): Promise<EventSummary[]> {
  const { after } = keyset('receipt_id', '$3', query.order);
  return (await db.query(
    `SELECT c.receipt_id AS id, c.app_id, c.at AS received_at, e.outcome, e.reason
       FROM (${candidates(query.outcome, `${after} AND ${chosen}`, keyset('receipt_id', '$3', query.order).by)}) c
       LEFT JOIN LATERAL (SELECT outcome, reason FROM ${everyEntry} t
                           WHERE receipt_id = c.receipt_id AND terminal ORDER BY ${latest} LIMIT 1) e ON true
      WHERE $7::text IS NULL OR e.outcome = $7
      ORDER BY ${keyset('c.receipt_id', '$3', query.order).by} LIMIT $8`,
    [
      query.organizationId,
      query.projectId,
      query.cursor,
      query.appId,
      query.fromId,
      query.toId,
      query.outcome,
      query.limit,
    ],
  )) as EventSummary[];
}

const chosen = `organization_id = $1 AND project_id = $2
  AND ($4::text IS NULL OR app_id = $4) AND ($5::text IS NULL OR receipt_id >= $5) AND ($6::text IS NULL OR receipt_id < $6)`;

/** Receipts that may be on the page, by the most selective index: rare outcomes have one of their own. */
function candidates(outcome: EventQuery['outcome'], where: string, by: string): string {
  if (outcome === null || outcome === 'routed') {
    // Without a filter of outcomes, each side needs no more rows than the page: else all are joined and sorted.
    const page = outcome === null ? ` ORDER BY ${by} LIMIT $8` : '';
    // Requests of Verify are receipts and end at once, in an entry of the same stage.
    return `(SELECT receipt_id, app_id, at FROM journal.receipt WHERE ${where}${page})
             UNION ALL
            (SELECT receipt_id, app_id, at FROM journal.entry
              WHERE stage = 'received' AND outcome <> 'verification' AND ${where}${page})`;
  }
  return `SELECT s.receipt_id, s.app_id, r.at
            FROM (SELECT DISTINCT receipt_id, app_id FROM journal.entry
                   WHERE terminal AND outcome <> 'routed' AND outcome = $7 AND ${where}) s
            JOIN LATERAL (SELECT at FROM journal.receipt WHERE receipt_id = s.receipt_id AND project_id = $2
                           UNION ALL
                          SELECT at FROM journal.entry WHERE receipt_id = s.receipt_id AND stage = 'received' LIMIT 1) r ON true`;
}
