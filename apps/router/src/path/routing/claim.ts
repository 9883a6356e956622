import { messageKey } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import type { Draft } from './draft.js';

/** Who claimed a key earlier. */
export interface Claimed {
  message_id: string;
  receipt_id: string;
}

interface ClaimRow extends Claimed {
  key: string;
}

/** Claims the free keys; `RETURNING` gives the claims that were won. */
export const claimSql = `
  INSERT INTO router.claim (key, message_id, receipt_id, claimed_at)
  SELECT *, now() FROM unnest($1::uuid[], $2::text[], $3::text[])
  ON CONFLICT DO NOTHING RETURNING key, message_id, receipt_id`;

type ClaimStatement = (parameters: [keys: string[], messageIds: string[], receiptIds: string[]]) => Promise<unknown>;

/**
 * Claims each draft's dedup key.
 * @param claimKeys runs a statement that contains `claimSql`, and returns its rows
 * @returns for each draft null when it won, else who claimed the key earlier
 */
export async function claim(
  tx: Queryable,
  drafts: Draft[],
  claimKeys: ClaimStatement = (parameters) => tx.query(claimSql, parameters),
): Promise<(Claimed | null)[]> {
  const keyed = drafts.map((draft) => ({ draft, key: messageKey(draft.app_id, draft.dedupKey) }));
  // Sorted by key: batches of two routers that claim the same keys in different orders deadlock.
  const sorted = [...keyed].sort((a, b) => (a.key < b.key ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  const won = (await claimKeys([
    keys,
    sorted.map(({ draft }) => draft.messageId),
    sorted.map(({ draft }) => draft.receipt_id),
  ])) as ClaimRow[];
  const rows =
    won.length === drafts.length
      ? won
      : ((await tx.query('SELECT key, message_id, receipt_id FROM router.claim WHERE key = ANY($1::uuid[])', [
          keys,
        ])) as ClaimRow[]);
  const owners = new Map(rows.map((row) => [row.key, row]));
  return keyed.map(({ draft, key }) => {
    const owner = owners.get(key);
    return owner && owner.message_id !== draft.messageId ? owner : null;
  });
}
