import { type TurnInput, withHopsOf } from '#libs/contracts';
import { type Queryable, storableJson } from '#libs/database';
import { activeStates, type Turn } from '../entities/turn.entity.js';
import { linesBetween, type Said, takeoverLines } from './takeover-lines.js';

/** How many messages one turn may answer. */
const collectedAtMost = 50;

type Waiting = Pick<Turn, 'id' | 'input' | 'agent_id' | 'created_at' | 'redrives' | 'receipt_id'> & {
  session_id: string;
  untold: boolean;
};

interface Next {
  sessionId: string;
  turn: Waiting;
  collected: Waiting[];
}

/** Turns that were started, and turns that are answered by them. */
export interface Started {
  turns: Turn[];
  collected: Turn[];
}

/** Locks sessions in the same order as arrivals do. Wherever both are locked, sessions come before their turns. */
export async function lockSessions(tx: Queryable, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query('SELECT FROM engine.session WHERE id = ANY($1) ORDER BY key FOR UPDATE', [ids]);
}

/** Starts the next turn in sessions without a running one. The caller has locked the sessions. */
export async function startNext(tx: Queryable, sessionIds: string[]): Promise<Started> {
  const nothing = { turns: [], collected: [] };
  if (sessionIds.length === 0) return nothing;
  const waiting = (await tx.query(
    `SELECT w.*, s.taken_over_epoch IS NOT NULL AS untold
       FROM engine.session s
      CROSS JOIN LATERAL (
        SELECT id, session_id, receipt_id, input, agent_id, created_at, redrives FROM engine.turn t
         WHERE t.session_id = s.id AND t.state = 'waiting' ORDER BY t.receipt_id, t.id
         LIMIT CASE s.inbox_mode WHEN 'collect' THEN $2 ELSE 1 END) w
      WHERE s.id = ANY($1) AND s.status <> 'taken_over'
        AND NOT EXISTS (SELECT FROM engine.turn a WHERE a.session_id = s.id AND a.state IN ${activeStates})
      ORDER BY w.receipt_id, w.id`,
    [sessionIds, collectedAtMost],
  )) as Waiting[];
  const next = [...Map.groupBy(waiting, (turn) => turn.session_id)].map(([sessionId, turns]) =>
    nextOf(sessionId, turns),
  );
  if (next.length === 0) return nothing;
  const collected = await collect(tx, next);
  const started: unknown = await tx.query(
    `WITH started AS (
       UPDATE engine.session s SET epoch = s.epoch + 1
         FROM unnest($1::text[], $2::text[]) AS n(session_id, turn_id) WHERE s.id = n.session_id
         RETURNING n.turn_id, s.epoch)
     UPDATE engine.turn t SET state = 'queued', epoch = started.epoch, lease_until = now(), retry_at = NULL
       FROM started WHERE t.id = started.turn_id RETURNING t.*`,
    [next.map(({ sessionId }) => sessionId), next.map(({ turn }) => turn.id)],
  );
  return { turns: (started as [Turn[], number])[0], collected };
}

/** The newest of the waiting turns that have the same rights as the first. It answers the others too. */
function nextOf(sessionId: string, turns: Waiting[]): Next {
  const first = turns[0] as Waiting;
  const others = turns.findIndex((turn) => rightsOf(turn) !== rightsOf(first));
  const together = others === -1 ? turns : turns.slice(0, others);
  return { sessionId, turn: together.at(-1) ?? first, collected: together.slice(0, -1) };
}

/**
 * A turn may do what its sender may. So nobody's message is answered with another sender's rights or memory. A
 * rehearsed message is not answered together with a real one: the real one would be left undone, or the rehearsed one
 * done.
 */
function rightsOf({ id, agent_id, input, redrives }: Waiting): string {
  const { verified, trust, text_from, started_by, contact_id: contact, reply, rehearsal } = input ?? ({} as TurnInput);
  // A redriven turn continues from its own steps. In another turn its calls would be made again.
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

/** Merges messages that are answered together into one turn, and adds what was said during a takeover. */
async function collect(tx: Queryable, next: Next[]): Promise<Turn[]> {
  const pairs = next.flatMap(({ turn, collected }) => collected.map(({ id }) => ({ id, into: turn.id })));
  let gathered: Turn[] = [];
  if (pairs.length > 0) {
    const rows: unknown = await tx.query(
      `UPDATE engine.turn t SET state = 'collected', collected_into = g.into_id, finished_at = now()
         FROM unnest($1::text[], $2::text[]) AS g(id, into_id) WHERE t.id = g.id RETURNING t.*`,
      [pairs.map(({ id }) => id), pairs.map(({ into }) => into)],
    );
    gathered = (rows as [Turn[], number])[0];
  }
  const untold = next.filter(({ turn }) => turn.untold).map(({ sessionId }) => sessionId);
  const lines = await takeoverLines(tx, untold);
  const inputs = next.flatMap(({ sessionId, turn, collected }) => {
    const said = lines.get(sessionId);
    if ((collected.length === 0 && !said) || !turn.input) return [];
    return [{ id: turn.id, input: inputOf(turn.input, turn.created_at, collected, said ?? []) }];
  });
  if (inputs.length === 0) return gathered;
  await tx.query(
    'UPDATE engine.turn t SET input = g.input FROM unnest($1::text[], $2::jsonb[]) AS g(id, input) WHERE t.id = g.id',
    [inputs.map(({ id }) => id), inputs.map(({ input }) => storableJson(input))],
  );
  return gathered;
}

function inputOf(own: TurnInput, ownCame: Date, collected: Waiting[], said: Said[]): TurnInput {
  const earlier = collected.flatMap(({ input, created_at }) =>
    input ? [...(input.earlier ?? []), input.message].map((message) => ({ message, came: created_at })) : [],
  );
  const came = [...earlier.map((each) => each.came), ownCame];
  return {
    ...own,
    reply: collected.reduce((reply, { input }) => withHopsOf(reply, input?.reply ?? null), own.reply),
    ...(earlier.length > 0 ? { earlier: earlier.map(({ message }) => message) } : {}),
    ...(said.length > 0 ? { takeover: linesBetween(said, came) } : {}),
  };
}
