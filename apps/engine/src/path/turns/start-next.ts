import { isUntrusted, type TakeoverLine, type TurnInput, turnRun, withHopsOf } from '#libs/contracts';
import { type Queryable, storableJson } from '#libs/database';
import { Journal, type JournalEntry } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Injectable } from '@nestjs/common';
import { activeStates, givenInput, type Turn, turnJobOf, wholeInput } from '../../entities/turn.entity.js';

/** From the newest takeovers of a session. The agent is not informed of anything older. */
const linesAtMost = 50;

/** The epoch of the last turn of a session that succeeded; 0 when none has. */
export const answeredEpoch = (session: string): string =>
  `(SELECT coalesce(max(epoch), 0) FROM engine.turn WHERE session_id = ${session}.id AND state = 'succeeded')`;

export interface TakeoverRow {
  session_id: string;
  at: Date;
  /** The person's text; null for a message to that person. */
  text: string | null;
  input: TurnInput | null;
}

/**
 * What was said in sessions during takeovers and no turn that succeeded has been shown. A turn that fails does
 * not count, so the next one is shown it too.
 * @returns by session, oldest first
 */
export async function takeoverLines(tx: Queryable, sessionIds: string[]): Promise<Map<string, TakeoverRow[]>> {
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
  )) as TakeoverRow[];
  return Map.groupBy(rows, (row) => row.session_id);
}

/** @param own when the messages arrived that the turn answers, oldest first; the last one always stays last */
export function linesBetween(rows: TakeoverRow[], own: Date[]): TakeoverLine[] {
  return rows.flatMap(({ at, text, input }): TakeoverLine[] => {
    const after = Math.min(own.filter((came) => came <= at).length, Math.max(0, own.length - 1));
    if (text !== null) return [{ by: 'person', text, after }];
    if (input === null) return [];
    const sent = { verified: input.verified, untrusted: isUntrusted(input) };
    return [...(input.earlier ?? []), input.message].map((message) => ({ by: 'sender', message, ...sent, after }));
  });
}

/** How many messages one turn may answer. */
const collectedAtMost = 50;

type Waiting = Pick<Turn, 'id' | 'app_id' | 'input' | 'agent_id' | 'created_at' | 'redrives' | 'receipt_id'> & {
  session_id: string;
  takeover_pending: boolean;
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
    `SELECT w.*, s.taken_over_epoch IS NOT NULL AS takeover_pending
       FROM engine.session s
      CROSS JOIN LATERAL (
        SELECT id, session_id, app_id, receipt_id, input, agent_id, created_at, redrives FROM engine.turn t
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
     UPDATE engine.turn t SET state = 'queued', epoch = started.epoch, due_at = now()
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
      `UPDATE engine.turn t SET state = 'collected', collected_into = g.into_id, ended_at = now()
         FROM unnest($1::text[], $2::text[]) AS g(id, into_id) WHERE t.id = g.id RETURNING t.*`,
      [pairs.map(({ id }) => id), pairs.map(({ into }) => into)],
    );
    gathered = (rows as [Turn[], number])[0];
  }
  const pending = next.filter(({ turn }) => turn.takeover_pending).map(({ sessionId }) => sessionId);
  const lines = await takeoverLines(tx, pending);
  const inputs = next.flatMap(({ sessionId, turn, collected }) => {
    const rows = lines.get(sessionId);
    const own = wholeInput(turn);
    if ((collected.length === 0 && !rows) || !own) return [];
    return [{ id: turn.id, input: inputOf(own, turn.created_at, collected, rows ?? []) }];
  });
  if (inputs.length === 0) return gathered;
  await tx.query(
    'UPDATE engine.turn t SET input = g.input FROM unnest($1::text[], $2::jsonb[]) AS g(id, input) WHERE t.id = g.id',
    [inputs.map(({ id }) => id), inputs.map(({ input }) => storableJson(input))],
  );
  return gathered;
}

function inputOf(own: TurnInput, ownCame: Date, collected: Waiting[], rows: TakeoverRow[]): TurnInput {
  const earlier = collected.flatMap((turn) => {
    const input = wholeInput(turn);
    const messages = input ? [...(input.earlier ?? []), input.message] : [];
    return messages.map((message) => ({ message, came: turn.created_at }));
  });
  const came = [...earlier.map((each) => each.came), ownCame];
  return {
    ...own,
    reply: collected.reduce((reply, turn) => withHopsOf(reply, givenInput(turn)?.reply ?? null), own.reply),
    ...(earlier.length > 0 ? { earlier: earlier.map(({ message }) => message) } : {}),
    ...(rows.length > 0 ? { takeover: linesBetween(rows, came) } : {}),
  };
}

/** Enqueues stored turns. A sweep covers jobs that Redis does not accept. */
@Injectable()
export class TurnEnqueuer {
  constructor(
    private readonly jobs: JobClient,
    private readonly journal: Journal,
  ) {}

  enqueue(turns: Turn[]): void {
    for (const turn of turns) void this.jobs.enqueue(turnRun, turnJobOf(turn));
  }

  /**
   * Enqueues turns that a session has started. Their timelines, and those of the turns that they answer too, show that
   * the wait is over.
   */
  go({ turns, collected }: Started): void {
    for (const turn of turns) this.journal.append(entryOf(turn, 'running', 'started', null));
    for (const turn of collected) {
      const into = turns.find(({ id }) => id === turn.collected_into);
      this.journal.append(entryOf(turn, 'ok', 'collected', { into: into?.id, event: into?.receipt_id }));
    }
    this.enqueue(turns);
  }

  /** A person handled what waited. */
  handled(turns: Turn[], by: string): void {
    for (const turn of turns) this.journal.append(entryOf(turn, 'succeeded', 'handled_by_person', { by }));
  }

  /** The run of a turn continues in another turn. */
  retried(turn: Turn, into: Turn): void {
    this.journal.append(entryOf(turn, 'ok', 'retried', { into: into.id, event: into.receipt_id }));
  }

  cancelled(turns: Turn[], reason: 'cancelled' | 'discarded'): void {
    for (const turn of turns) this.journal.append(entryOf(turn, 'failed', reason, null));
  }
}

/** A turn as its timeline names it. */
type TurnSubject = Pick<Turn, 'id' | 'receipt_id' | 'organization_id' | 'project_id' | 'app_id' | 'claim'>;

/** A timeline entry of a turn. */
export function entryOf(
  { id, receipt_id, organization_id, project_id, app_id, claim }: TurnSubject,
  outcome: JournalEntry['outcome'],
  reason: string | null,
  detail: Record<string, unknown> | null,
  duration_ms: number | null = null,
): JournalEntry {
  const subject = { receipt_id, organization_id, project_id, app_id, subject_id: id };
  return { ...subject, stage: 'turn', outcome, reason, attempt: Math.max(1, claim), duration_ms, detail };
}
