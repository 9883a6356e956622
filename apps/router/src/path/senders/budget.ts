import type { Queryable } from '#libs/database';
import type { SenderContext } from './sender-context.js';

/** A message over its contact's daily budget. */
export interface OverBudget {
  most: number;
  /** The contact was informed of it today. */
  noticed: boolean;
}

/**
 * Counts messages against the daily budgets of their contacts (UTC days). The counts stay locked until the end of `tx`.
 * @param senderContexts the sender of each message, in order
 * @returns for each message null when it is within the budget
 */
export async function countAgainstBudget(
  tx: Queryable,
  senderContexts: SenderContext[],
): Promise<(OverBudget | null)[]> {
  const asked = new Map<string, number>();
  for (const { contactId, dailyBudget } of senderContexts) {
    if (dailyBudget !== null) asked.set(contactId, (asked.get(contactId) ?? 0) + 1);
  }
  if (asked.size === 0) return senderContexts.map(() => null);
  const ids = [...asked.keys()].sort();
  const rows = (await tx.query(
    `INSERT INTO router.contact_day AS d (contact_id, day, messages)
     SELECT id, (now() AT TIME ZONE 'UTC')::date, n FROM unnest($1::text[], $2::integer[]) AS g(id, n)
     ON CONFLICT (contact_id, day) DO UPDATE SET messages = d.messages + excluded.messages
     RETURNING contact_id, messages, noticed`,
    [ids, ids.map((id) => asked.get(id))],
  )) as { contact_id: string; messages: number; noticed: boolean }[];
  const used = new Map(rows.map((row) => [row.contact_id, row.messages - (asked.get(row.contact_id) ?? 0)]));
  const noticed = new Set(rows.flatMap((row) => (row.noticed ? [row.contact_id] : [])));
  return senderContexts.map(({ contactId, dailyBudget }) => {
    if (dailyBudget === null) return null;
    const before = used.get(contactId) ?? 0;
    used.set(contactId, before + 1);
    return before < dailyBudget ? null : { most: dailyBudget, noticed: noticed.has(contactId) };
  });
}

/** Records that contacts are informed today, in the transaction that counted their messages. */
export async function noteInformed(tx: Queryable, contactIds: string[]): Promise<void> {
  if (contactIds.length === 0) return;
  await tx.query(
    `UPDATE router.contact_day SET noticed = true WHERE contact_id = ANY($1) AND day = (now() AT TIME ZONE 'UTC')::date`,
    [contactIds],
  );
}
