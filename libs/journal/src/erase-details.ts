import { idTimeMs, type ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';

/**
 * Removes from timelines and dead letters what may name a sender, or quote one: the sender and the words of errors. What
 * happened, when, and why by its code stays.
 * @param subjects only what is said of these: messages, turns and deliveries; null: everything
 */
export async function eraseDetails(
  db: Queryable,
  { organizationId, projectId }: ProjectScope,
  receiptIds: string[],
  subjects: string[] | null = null,
): Promise<void> {
  const times = receiptIds.map(idTimeMs).filter((time) => !Number.isNaN(time));
  if (times.length === 0) return;
  const of = `receipt_id = ANY($1) AND organization_id = $2 AND project_id = $3
    AND ($4::text[] IS NULL OR split_part(subject_id, '/', 1) = ANY($4))`;
  await db.query(
    // Entries come after their receipt: the time limits the search to partitions.
    `UPDATE journal.entry SET detail = detail - ARRAY['sender', 'error', 'text']
      WHERE ${of} AND at >= $5 AND reason IS DISTINCT FROM 'erased' AND detail ?| ARRAY['sender', 'error', 'text']`,
    [receiptIds, organizationId, projectId, subjects, new Date(Math.min(...times) - 60_000)],
  );
  await db.query(`UPDATE journal.dead_letter SET error = NULL, redrive_error = NULL WHERE ${of}`, [
    receiptIds,
    organizationId,
    projectId,
    subjects,
  ]);
}
