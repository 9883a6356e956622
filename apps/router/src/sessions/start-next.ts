import type { TurnInput } from '#libs/contracts';
import { type Queryable, storableJson } from '#libs/database';
import { withHopsOf } from '../routing/reply-target.js';
import type { TurnRow } from '../turns/turn.entity.js';
import { linesBetween, type Said, takeoverLines } from './takeover-lines.js';

/** At most so many messages are answered in one turn. */
const collectedAtMost = 50;

interface Waiting extends Pick<TurnRow, 'id' | 'input' | 'agent_id' | 'created_at' | 'redrives'> {
  seq: string;
  session_id: string;
  inbox_mode: string;
  untold: boolean;
}

interface Next {
  sessionId: string;
  turn: Waiting;
  collected: Waiting[];
}

/**
 * Starts what waits behind in free sessions, which the caller has locked.
 * @returns the turns that were opened
 */
export async function startNext(tx: Queryable, sessionIds: string[]): Promise<TurnRow[]> {
  if (sessionIds.length === 0) return [];
  const waiting = (await tx.query(
    `SELECT i.seq, i.session_id, s.inbox_mode, t.id, t.input, t.agent_id, t.created_at, t.redrives,
            coalesce(s.taken_over_epoch >= s.answered_epoch, false) AS untold
       FROM router.session s
      CROSS JOIN LATERAL (SELECT seq, session_id, turn_id FROM router.session_inbox WHERE session_id = s.id ORDER BY seq
                           LIMIT CASE s.inbox_mode WHEN 'collect' THEN $2 ELSE 1 END) i
       JOIN router.turn t ON t.id = i.turn_id
      WHERE s.id = ANY($1) AND s.current_turn_id IS NULL AND s.status <> 'taken_over' ORDER BY i.seq`,
    [sessionIds, collectedAtMost],
  )) as Waiting[];
  const next = [...Map.groupBy(waiting, (turn) => turn.session_id)].map(([sessionId, turns]) =>
    nextOf(sessionId, turns),
  );
  if (next.length === 0) return [];
  const taken = next.flatMap(({ turn, collected }) => [turn, ...collected]);
  await tx.query('DELETE FROM router.session_inbox WHERE seq = ANY($1)', [taken.map(({ seq }) => seq)]);
  await collect(tx, next);
  const started: unknown = await tx.query(
    `WITH started AS (
       UPDATE router.session s SET current_turn_id = n.turn_id, epoch = s.epoch + 1
         FROM unnest($1::text[], $2::text[]) AS n(session_id, turn_id) WHERE s.id = n.session_id
         RETURNING n.turn_id, s.epoch)
     UPDATE router.turn t SET state = 'open', epoch = started.epoch, woken_at = now()
       FROM started WHERE t.id = started.turn_id RETURNING t.*`,
    [next.map(({ sessionId }) => sessionId), next.map(({ turn }) => turn.id)],
  );
  return (started as [TurnRow[], number])[0];
}

/** The newest turn of those that wait with the same rights as the first; the others are answered in it. */
function nextOf(sessionId: string, turns: Waiting[]): Next {
  const first = turns[0] as Waiting;
  const others = turns.findIndex((turn) => rightsOf(turn) !== rightsOf(first));
  const together = others === -1 ? turns : turns.slice(0, others);
  return { sessionId, turn: together.at(-1) ?? first, collected: together.slice(0, -1) };
}

/**
 * A turn may do what its sender may: nobody's message is answered with another one's rights, nor from their memory. What is
 * rehearsed is not answered with what is not: one of them would be done, or left undone.
 */
function rightsOf({ id, agent_id, input, redrives }: Waiting): string {
  const { verified, trust, text_from, started_by, contact_id: contact, reply, rehearsal } = input;
  // One that is redriven goes on from its own steps: in another turn its calls would be made again.
  const own = redrives > 0 ? id : null;
  return JSON.stringify([
    own,
    agent_id,
    verified,
    trust,
    text_from,
    started_by,
    contact,
    reply?.channel_address,
    rehearsal,
  ]);
}

/** Counts what is answered together to one turn, and tells it what was said while a person had the session. */
async function collect(tx: Queryable, next: Next[]): Promise<void> {
  const pairs = next.flatMap(({ turn, collected }) => collected.map(({ id }) => ({ id, into: turn.id })));
  if (pairs.length > 0) {
    await tx.query(
      `UPDATE router.turn t SET state = 'collected', collected_into = g.into_id, finished_at = now()
         FROM unnest($1::text[], $2::text[]) AS g(id, into_id) WHERE t.id = g.id`,
      [pairs.map(({ id }) => id), pairs.map(({ into }) => into)],
    );
  }
  const untold = next.filter(({ turn }) => turn.untold).map(({ sessionId }) => sessionId);
  const lines = await takeoverLines(tx, untold);
  const inputs = next.flatMap(({ sessionId, turn, collected }) => {
    const said = lines.get(sessionId);
    if (collected.length === 0 && !said) return [];
    return [{ id: turn.id, input: inputOf(turn, collected, said ?? []) }];
  });
  if (inputs.length === 0) return;
  await tx.query(
    'UPDATE router.turn t SET input = g.input FROM unnest($1::text[], $2::jsonb[]) AS g(id, input) WHERE t.id = g.id',
    [inputs.map(({ id }) => id), inputs.map(({ input }) => storableJson(input))],
  );
}

function inputOf(turn: Waiting, collected: Waiting[], said: Said[]): TurnInput {
  const earlier = collected.flatMap(({ input, created_at }) =>
    [...(input.earlier ?? []), input.message].map((message) => ({ message, came: created_at })),
  );
  const came = [...earlier.map((each) => each.came), turn.created_at];
  return {
    ...turn.input,
    reply: collected.reduce((reply, { input }) => withHopsOf(reply, input.reply), turn.input.reply),
    ...(earlier.length > 0 ? { earlier: earlier.map(({ message }) => message) } : {}),
    ...(said.length > 0 ? { takeover: linesBetween(said, came) } : {}),
  };
}
