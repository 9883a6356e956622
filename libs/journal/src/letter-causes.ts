import type { ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';

/** Dead letters that came through one App, failed at one stage and have one reason. */
export interface LetterCause {
  app_id: string;
  stage: string;
  reason: string | null;
  count: number;
  /** How many of them wait for a person. */
  open: number;
  first_seen: Date;
  last_seen: Date;
  /** Of the newest. */
  error: string | null;
  last_receipt_id: string;
  receipt_ids: string[];
  /** How many fell into each part of the time, the newest last. */
  parts: number[];
}

export interface LetterCauseQuery extends ProjectScope {
  from: Date;
  to: Date;
  /** Into how many parts the time is cut. */
  parts: number;
  /** The newest letters that are looked at. */
  scan: number;
  limit: number;
}

/** A project's dead letters by cause, the newest cause first. */
export async function letterCauses(db: Queryable, query: LetterCauseQuery): Promise<LetterCause[]> {
  const rows = (await db.query(
    `WITH letter AS (
       SELECT app_id, stage, reason, state, at, error, receipt_id,
              width_bucket(extract(epoch FROM at), extract(epoch FROM $3::timestamptz), extract(epoch FROM $4::timestamptz),
                $5::integer) AS part
         FROM journal.dead_letter
        WHERE organization_id = $1 AND project_id = $2 AND at >= $3 AND at < $4 ORDER BY id DESC LIMIT $6)
     SELECT app_id, stage, reason, count(*)::integer AS count, count(*) FILTER (WHERE state = 'open')::integer AS open,
            min(at) AS first_seen, max(at) AS last_seen, (array_agg(error ORDER BY at DESC))[1] AS error,
            (array_agg(receipt_id ORDER BY at DESC))[1] AS last_receipt_id, array_agg(DISTINCT receipt_id) AS receipt_ids,
            array_agg(part) AS parts
       FROM letter GROUP BY app_id, stage, reason ORDER BY max(at) DESC, app_id, stage LIMIT $7`,
    [query.organizationId, query.projectId, query.from, query.to, query.parts, query.scan, query.limit],
  )) as LetterCause[];
  return rows.map((row) => ({ ...row, parts: counted(row.parts, query.parts) }));
}

/** @param parts the number of the part of each letter, from 1 */
function counted(parts: number[], of: number): number[] {
  const counts = Array.from({ length: of }, () => 0);
  for (const part of parts) counts[part - 1] = (counts[part - 1] ?? 0) + 1;
  return counts;
}
