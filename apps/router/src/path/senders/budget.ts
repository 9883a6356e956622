import type { Queryable } from '#libs/database';
import type { SenderContext } from './sender-context.js';

/**
 * Counts messages against the daily budgets of their contacts (UTC days).
 * @param senderContexts the sender of each message, in order
 * @returns for each message whether it is over the budget
 */
export async function countAgainstBudget(tx: Queryable, senderContexts: SenderContext[]): Promise<boolean[]> {
  const asked = new Map<string, number>();
  for (const { contactId, dailyBudget } of senderContexts) {
    if (dailyBudget !== null) asked.set(contactId, (asked.get(contactId) ?? 0) + 1);
  }
  if (asked.size === 0) return senderContexts.map(() => false);
  const ids = [...asked.keys()].sort();
  const rows = (await tx.query(
    `INSERT INTO router.contact_day AS d (contact_id, day, messages)
     SELECT id, (now() AT TIME ZONE 'UTC')::date, n FROM unnest($1::text[], $2::integer[]) AS g(id, n)
     ON CONFLICT (contact_id, day) DO UPDATE SET messages = d.messages + excluded.messages
     RETURNING contact_id, messages`,
    [ids, ids.map((id) => asked.get(id))],
  )) as { contact_id: string; messages: number }[];
  const used = new Map(rows.map((row) => [row.contact_id, row.messages - (asked.get(row.contact_id) ?? 0)]));
  return senderContexts.map(({ contactId, dailyBudget }) => {
    if (dailyBudget === null) return false;
    const before = used.get(contactId) ?? 0;
    used.set(contactId, before + 1);
    return before >= dailyBudget;
  });
}
