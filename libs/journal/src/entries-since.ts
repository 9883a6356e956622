import type { Queryable } from '#libs/database';
import type { TimelineEntry } from './timeline.js';

export interface LiveEntry extends TimelineEntry {
  receipt_id: string;
  organization_id: string;
  project_id: string;
  app_id: string;
}

/**
 * Entries from a time on, oldest first. An entry is written some milliseconds after its time, rarely more: who follows
 * the journal asks again for the last seconds, and drops what it has seen.
 * @param scope null for every organization and project
 */
export async function entriesSince(
  db: Queryable,
  since: Date,
  limit: number,
  scope: { organizationId: string; projectId: string } | null,
): Promise<LiveEntry[]> {
  return (await db.query(
    `SELECT receipt_id, organization_id, project_id, app_id, at, service, stage, outcome, terminal, reason, subject_id,
            attempt, duration_ms, detail
       FROM journal.entry
      WHERE at >= $1 AND ($3::text IS NULL OR (organization_id = $3 AND project_id = $4))
      ORDER BY at LIMIT $2`,
    [since, limit, scope?.organizationId ?? null, scope?.projectId ?? null],
  )) as LiveEntry[];
}
