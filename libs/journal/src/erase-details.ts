import { idTimeMs, type ProjectScope } from '#libs/contracts';
import type { Queryable } from '#libs/database';

/**
 * Removes from timelines and dead letters what may name a sender, or quote one: the sender and the words of errors. What
 * happened, when, and why by its code stays.
 */
export async function eraseDetails(
  db: Queryable,
  { organizationId, projectId }: ProjectScope,
  receiptIds: string[],
): Promise<void> {
  const times = receiptIds.map(idTimeMs).filter((time) => !Number.isNaN(time));
  if (times.length === 0) return;
  const of = 'receipt_id = ANY($1) AND organization_id = $2 AND project_id = $3';
  await db.query(
    // Entries come after their receipt: the time limits the search to partitions.
    `UPDATE journal.entry SET detail = detail - ARRAY['sender', 'error', 'text']
      WHERE ${of} AND at >= $4 AND reason IS DISTINCT FROM 'erased' AND detail ?| ARRAY['sender', 'error', 'text']`,
    [receiptIds, organizationId, projectId, new Date(Math.min(...times) - 60_000)],
  );
  await db.query(`UPDATE journal.dead_letter SET error = NULL, redrive_error = NULL WHERE ${of}`, [
    receiptIds,
    organizationId,
    projectId,
  ]);
}
