import { firstId, type ProjectScope, type ScopeColumns } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { entryColumns as columns, entrySources } from './entries-in-rows.js';
import { unfolded } from './folded-entries.js';
import type { TimelineEntry } from './timeline.js';

export interface LiveEntry extends TimelineEntry, ScopeColumns {
  receipt_id: string;
  app_id: string;
  /** The time of its row: that of the entry that it is written with, if it shares one. */
  row_at: Date;
}

export interface EntriesSince {
  entries: LiveEntry[];
  /** There may be more. */
  isFull: boolean;
}

const inScope = '($3::text IS NULL OR (organization_id = $3 AND project_id = $4))';

/** Of each source no more than are asked for, by its index. */
const firstOf = (source: string): string =>
  `(SELECT ${columns} FROM ${source} WHERE at >= $1 AND ${inScope} ORDER BY at LIMIT $2)`;

/**
 * Entries from a time on, oldest first. An entry is written some milliseconds after its time, rarely more: a reader
 * that follows the journal asks again for the last seconds, and drops what it has seen.
 * @param scope null for every organization and project
 */
export async function entriesSince(
  db: Queryable,
  since: Date,
  limit: number,
  scope: ProjectScope | null,
): Promise<EntriesSince> {
  const rows = (await db.query(
    `${entrySources.map(firstOf).join(' UNION ALL ')}
      UNION ALL
     (SELECT ${columns} FROM journal.receipt WHERE at >= $1 AND receipt_id >= $5 AND ${inScope} ORDER BY at LIMIT $2)
      ORDER BY at LIMIT $2`,
    [since, limit, scope?.organizationId ?? null, scope?.projectId ?? null, firstId('evt', since)],
  )) as Omit<LiveEntry, 'row_at'>[];
  return { entries: unfolded(rows.map((row) => ({ ...row, row_at: row.at }))), isFull: rows.length >= limit };
}
