import type { TerminalOutcome } from '#libs/contracts';
import type { Queryable } from '#libs/database';

export interface EventSummary {
  id: string;
  app_id: string;
  received_at: Date;
  /** The outcome the receipt ended in at last (a redriven one ends again), or null while it is under way. */
  outcome: TerminalOutcome | null;
  reason: string | null;
}

export interface EventQuery {
  organizationId: string;
  projectId: string;
  limit: number;
  /** The last id of the page before: what comes is older. */
  cursor: string | null;
  appId: string | null;
  /** `open`: not ended yet. */
  outcome: TerminalOutcome | 'open' | null;
  /** Receipts of this id and later, and before that one: ids tell the time. */
  fromId: string | null;
  toId: string | null;
  /** Only these receipts. */
  ids: string[] | null;
}

/** A page of receipts, newest first, each with the outcome it ended in. */
export async function listEvents(db: Queryable, query: EventQuery): Promise<EventSummary[]> {
  return (await db.query(
    `SELECT c.receipt_id AS id, c.app_id, r.at AS received_at, e.outcome, e.reason
       FROM (${candidates(query.outcome)}) c
       JOIN LATERAL (SELECT at FROM journal.entry WHERE receipt_id = c.receipt_id AND stage = 'received' LIMIT 1) r ON true
       LEFT JOIN LATERAL (SELECT outcome, reason FROM journal.entry
                           WHERE receipt_id = c.receipt_id AND terminal ORDER BY at DESC LIMIT 1) e ON true
      WHERE $8::text IS NULL OR coalesce(e.outcome, 'open') = $8
      ORDER BY c.receipt_id DESC LIMIT $9`,
    [
      query.organizationId,
      query.projectId,
      query.cursor,
      query.appId,
      query.fromId,
      query.toId,
      query.ids,
      query.outcome,
      query.limit,
    ],
  )) as EventSummary[];
}

/** Receipts that may be on the page, by the index that names fewest: rare outcomes have one of their own. */
function candidates(outcome: EventQuery['outcome']): string {
  const rare = outcome !== null && outcome !== 'routed' && outcome !== 'open';
  const which = rare ? `terminal AND outcome <> 'routed' AND outcome = $8` : `stage = 'received'`;
  return `SELECT DISTINCT ON (receipt_id) receipt_id, app_id FROM journal.entry
           WHERE ${which} AND organization_id = $1 AND project_id = $2
             AND ($3::text IS NULL OR receipt_id < $3) AND ($4::text IS NULL OR app_id = $4)
             AND ($5::text IS NULL OR receipt_id >= $5) AND ($6::text IS NULL OR receipt_id < $6)
             AND ($7::text[] IS NULL OR receipt_id = ANY($7))
           ORDER BY receipt_id DESC`;
}
