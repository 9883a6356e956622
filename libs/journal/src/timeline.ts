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

/** Everything that happened to one receipt, oldest first; empty when it is not of this project. */
export async function timeline(
  db: Queryable,
  organizationId: string,
  projectId: string,
  receiptId: string,
): Promise<(TimelineEntry & { app_id: string })[]> {
  return (await db.query(
    `SELECT app_id, at, service, stage, outcome, terminal, reason, subject_id, attempt, duration_ms, detail
       FROM journal.entry WHERE receipt_id = $1 AND organization_id = $2 AND project_id = $3 ORDER BY at, stage`,
    [receiptId, organizationId, projectId],
  )) as (TimelineEntry & { app_id: string })[];
}
