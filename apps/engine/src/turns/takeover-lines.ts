import { isUntrusted, type TakeoverLine, type TurnInput } from '#libs/contracts';
import type { Queryable } from '#libs/database';

/** From the newest takeovers of a session. The agent is not told of anything older. */
const linesAtMost = 50;

/** The epoch of the last turn of a session that succeeded; 0 when none has. */
export const answeredEpoch = (session: string): string =>
  `(SELECT coalesce(max(epoch), 0) FROM engine.turn WHERE session_id = ${session}.id AND state = 'succeeded')`;

export interface Said {
  session_id: string;
  at: Date;
  /** The person's text; null for a message to that person. */
  text: string | null;
  input: TurnInput | null;
}

/**
 * What was said in sessions during takeovers and has not yet been told to a turn that succeeded. A turn that fails does
 * not count, so the next one is told again.
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

/** @param own when the messages arrived that the turn answers, oldest first; the last one always stays last */
export function linesBetween(said: Said[], own: Date[]): TakeoverLine[] {
  return said.flatMap(({ at, text, input }): TakeoverLine[] => {
    const after = Math.min(own.filter((came) => came <= at).length, Math.max(0, own.length - 1));
    if (text !== null) return [{ by: 'person', text, after }];
    if (input === null) return [];
    const sent = { verified: input.verified, untrusted: isUntrusted(input) };
    return [...(input.earlier ?? []), input.message].map((message) => ({ by: 'sender', message, ...sent, after }));
  });
}
