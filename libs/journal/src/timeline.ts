import type { Queryable } from '#libs/database';

export interface TimelineEntry {
  at: Date;
  service: string;
  stage: string;
  outcome: string;
  terminal: boolean;
  reason: string | null;
  subject_id: string | null;
  attempt: number;
  duration_ms: number | null;
  detail: Record<string, unknown> | null;
}

export interface EventSummary {
  id: string;
  app_id: string;
  received_at: Date;
  /** The outcome that ended the receipt, or null while it is under way. */
  outcome: string | null;
  reason: string | null;
}

export interface EventQuery {
  organizationId: string;
  projectId: string | null;
  limit: number;
  /** The last id of the page before. */
  cursor: string | null;
  appId: string | null;
  outcome: string | null;
}

const columns = 'at, service, stage, outcome, terminal, reason, subject_id, attempt, duration_ms, detail';

/**
 * Everything that happened to one receipt, oldest first; empty when it is not of this organization. The receipt itself is the
 * first entry: the ingress keeps the view `journal.received` over its receipts.
 */
export async function timeline(db: Queryable, organizationId: string, receiptId: string): Promise<TimelineEntry[]> {
  return (await db.query(
    `SELECT ${columns} FROM journal.received WHERE receipt_id = $1 AND organization_id = $2
      UNION ALL
     SELECT ${columns} FROM journal.entry WHERE receipt_id = $1 AND organization_id = $2 ORDER BY at, stage`,
    [receiptId, organizationId],
  )) as TimelineEntry[];
}

/** A page of receipts, newest first, each with the outcome it ended in. */
export async function listEvents(db: Queryable, query: EventQuery): Promise<EventSummary[]> {
  return (await db.query(
    `SELECT r.receipt_id AS id, r.app_id, r.at AS received_at, e.outcome, e.reason
       FROM journal.received r
       LEFT JOIN LATERAL (SELECT outcome, reason FROM journal.entry
                           WHERE receipt_id = r.receipt_id AND terminal ORDER BY at LIMIT 1) e ON true
      WHERE r.organization_id = $1 AND ($2::text IS NULL OR r.project_id = $2)
        AND ($3::text IS NULL OR r.receipt_id < $3) AND ($4::text IS NULL OR r.app_id = $4)
        AND ($5::text IS NULL OR e.outcome = $5)
      ORDER BY r.receipt_id DESC LIMIT $6`,
    [query.organizationId, query.projectId, query.cursor, query.appId, query.outcome, query.limit],
  )) as EventSummary[];
}
