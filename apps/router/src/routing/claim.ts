import type { Queryable } from '#libs/database';
import type { Draft } from './draft.js';

/** A key that was claimed before. */
export interface Claimed {
  app_id: string;
  dedup_key: string;
  message_id: string;
  receipt_id: string;
}

/**
 * Claims each draft's dedup key.
 * @returns for each draft null when it won, else who claimed the key before
 */
export async function claim(tx: Queryable, drafts: Draft[]): Promise<(Claimed | null)[]> {
  // Sorted by key: batches of two routers that claim the same keys in different orders deadlock.
  const sorted = [...drafts].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const keys = [sorted.map((draft) => draft.app_id), sorted.map((draft) => draft.dedupKey)];
  const won = (await tx.query(
    `INSERT INTO router.claim (app_id, dedup_key, message_id, receipt_id, claimed_at)
     SELECT *, now() FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
     ON CONFLICT DO NOTHING RETURNING app_id, dedup_key, message_id, receipt_id`,
    [...keys, sorted.map((draft) => draft.messageId), sorted.map((draft) => draft.receipt_id)],
  )) as Claimed[];
  const rows =
    won.length === drafts.length
      ? won
      : ((await tx.query(
          `SELECT app_id, dedup_key, message_id, receipt_id FROM router.claim
            WHERE (app_id, dedup_key) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
          keys,
        )) as Claimed[]);
  const owners = new Map(rows.map((row) => [keyOf({ app_id: row.app_id, dedupKey: row.dedup_key }), row]));
  return drafts.map((draft) => {
    const owner = owners.get(keyOf(draft));
    return owner && owner.message_id !== draft.messageId ? owner : null;
  });
}

function keyOf({ app_id, dedupKey }: Pick<Draft, 'app_id' | 'dedupKey'>): string {
  return `${app_id} ${dedupKey}`;
}
