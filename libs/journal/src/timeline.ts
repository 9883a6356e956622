import type { ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { everyEntry } from './entries-in-rows.js';
import { unfolded } from './folded-entries.js';
import { endsSubject } from './latest-entries.js';

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

const columns = 'app_id, at, service, stage, outcome, terminal, reason, subject_id, attempt, duration_ms, detail';

/**
 * Everything that happened to one receipt, oldest first; empty when it is not in this project. A stored receipt is its
 * own first entry: the ingress keeps the view `journal.receipt` over its receipts. Of one millisecond, an end is the last.
 */
export async function timeline(
  db: Queryable,
  organizationId: string,
  projectId: string,
  receiptId: string,
): Promise<(TimelineEntry & { app_id: string })[]> {
  const rows = (await db.query(
    `SELECT ${columns} FROM (
       SELECT ${columns} FROM journal.receipt WHERE receipt_id = $1 AND organization_id = $2 AND project_id = $3
        UNION ALL
       SELECT ${columns} FROM ${everyEntry} a WHERE receipt_id = $1 AND organization_id = $2 AND project_id = $3) e
      ORDER BY at, stage, ${endsSubject('outcome')}`,
    [receiptId, organizationId, projectId],
  )) as (TimelineEntry & { app_id: string })[];
  return unfolded(rows).sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** The last entry about each of these receipts, whatever it is about. A receipt that only arrived has none. */
export async function lastEntries(
  db: Queryable,
  scope: ProjectScope,
  receiptIds: string[],
): Promise<Map<string, TimelineEntry>> {
  if (receiptIds.length === 0) return new Map();
  const rows = (await db.query(
    `SELECT DISTINCT ON (receipt_id) receipt_id, at, service, stage, outcome, terminal, reason, subject_id, attempt,
            duration_ms, detail
       FROM ${everyEntry} e WHERE receipt_id = ANY($1) AND organization_id = $2 AND project_id = $3
      ORDER BY receipt_id, at DESC, stage DESC, ${endsSubject('outcome')} DESC`,
    [receiptIds, scope.organizationId, scope.projectId],
  )) as (TimelineEntry & { receipt_id: string })[];
  // The last of what is in a row is the row's own entry.
  return new Map(unfolded(rows).map(({ receipt_id: id, ...entry }) => [id, entry]));
}
