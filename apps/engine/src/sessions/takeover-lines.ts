import { isUntrusted, type TakeoverLine, type TurnInput } from '#libs/contracts';
import type { Queryable } from '#libs/database';

/** Of the newest takeovers of a session; what is older an agent is not told of. */
const linesAtMost = 50;

/** The epoch of the last turn of a session that succeeded; 0: none has. */
export const answeredEpoch = (session: string): string =>
  `(SELECT coalesce(max(epoch), 0) FROM engine.turn WHERE session_id = ${session}.id AND state = 'succeeded')`;

export interface Said {
  session_id: string;
  at: Date;
  /** A person's; null for a message that came for the person. */
  text: string | null;
  input: TurnInput | null;
}

/**
 * What was said in sessions while people had taken them over, and no turn that succeeded has been told of yet. A turn that
 * fails was told in vain: the next one is told again.
 * @returns by session, oldest first
 */
export async function takeoverLines(tx: Queryable, sessionIds: string[]): Promise<Map<string, Said[]>> {
  if (sessionIds.length === 0) return new Map();
  const rows = (await tx.query(
    `SELECT s.id AS session_id, l.* FROM engine.session s
      CROSS JOIN LATERAL (SELECT ${answeredEpoch('s')} AS epoch) answered
      CROSS JOIN LATERAL (
        SELECT at, text, NULL::jsonb AS input FROM engine.session_mark
         WHERE session_id = s.id AND text IS NOT NULL AND epoch >= answered.epoch
        UNION ALL
        SELECT created_at, NULL, input FROM engine.turn
         WHERE session_id = s.id AND state = 'handled' AND epoch >= answered.epoch
        ORDER BY 1 DESC LIMIT $2) l
      WHERE s.id = ANY($1) AND s.taken_over_epoch >= answered.epoch ORDER BY l.at`,
    [sessionIds, linesAtMost],
  )) as Said[];
  return Map.groupBy(rows, (row) => row.session_id);
}

/** @param own when the messages came that the turn is to answer, oldest first; the last one stays the last */
export function linesBetween(said: Said[], own: Date[]): TakeoverLine[] {
  return said.flatMap(({ at, text, input }): TakeoverLine[] => {
    const after = Math.min(own.filter((came) => came <= at).length, Math.max(0, own.length - 1));
    if (text !== null) return [{ by: 'person', text, after }];
    if (input === null) return [];
    const sent = { verified: input.verified, untrusted: isUntrusted(input) };
    return [...(input.earlier ?? []), input.message].map((message) => ({ by: 'sender', message, ...sent, after }));
  });
}
