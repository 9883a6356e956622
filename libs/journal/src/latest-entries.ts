import type { ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { everyEntry } from './entries-in-rows.js';

/** The last entry about a turn or a delivery. */
export interface LatestEntry {
  receipt_id: string;
  stage: 'turn' | 'delivery';
  subject_id: string;
  outcome: string;
  reason: string | null;
  detail: Record<string, unknown> | null;
}

/** SQL: whether an outcome ends its turn or delivery. Among entries of one millisecond, that one is the last. */
export const endsSubject = (column: string): string =>
  `${column} IN ('succeeded', 'failed', 'dead', 'delivered', 'unknown', 'expired')`;

/** The last entry of each turn and each delivery of these receipts. */
export async function latestEntries(db: Queryable, scope: ProjectScope, receiptIds: string[]): Promise<LatestEntry[]> {
  if (receiptIds.length === 0) return [];
  return (await db.query(
    `SELECT DISTINCT ON (receipt_id, stage, subject_id) receipt_id, stage, subject_id, outcome, reason, detail
       FROM ${everyEntry} e
      WHERE receipt_id = ANY($1) AND organization_id = $2 AND project_id = $3 AND stage IN ('turn', 'delivery')
        AND subject_id IS NOT NULL
      ORDER BY receipt_id, stage, subject_id, in_row DESC, at DESC, ${endsSubject('outcome')} DESC`,
    [receiptIds, scope.organizationId, scope.projectId],
  )) as LatestEntry[];
}
