import { newId, type TurnOfSession, type TurnRunPayload } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import type { Journal } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { entryOf, linesBetween, takeoverLines } from './start-next.js';
import { activeStates, type Turn, type TurnState } from '../../entities/turn.entity.js';

/** How many places are read at once. */
const readAtMost = 512;
const askEveryMs = 10;

interface Arrived {
  place: string;
  /** By `performance.now()`. */
  untilMs: number;
  go: () => void;
}

interface Line {
  waiting: Arrived[];
  /** Places that were let go but are not stored yet. */
  gone: Set<string>;
  asking: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Stores the turns of an App's sessions in the order in which their receipts were acknowledged. A turn waits while an
 * earlier one is on its way, but at most ORDER_WAIT_MS. After that, the earlier one loses its place.
 */
@Injectable()
export class Arrivals {
  private readonly logger = new Logger('arrivals');
  private readonly lines = new Map<string, Line>();

  constructor(
    private readonly jobs: JobClient,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /** Resolves when a place may be stored. Within a process, places resolve in order. */
  inOrder(appId: string, place: string): Promise<void> {
    let line = this.lines.get(appId);
    if (!line) this.lines.set(appId, (line = { waiting: [], gone: new Set(), asking: false }));
    const { waiting } = line;
    return new Promise((resolve) => {
      waiting.push({ place, untilMs: performance.now() + this.settings.ORDER_WAIT_MS, go: resolve });
      void this.ask(appId, line);
    });
  }

  /** The turn of this place is stored or never will be, so turns behind it may proceed. */
  stored(appId: string, place: string): void {
    this.jobs.order.leave(appId, place);
    const line = this.lines.get(appId);
    line?.gone.delete(place);
    if (line?.waiting.length) void this.ask(appId, line);
    else if (line?.gone.size === 0) this.lines.delete(appId);
  }

  private async ask(appId: string, line: Line): Promise<void> {
    if (line.asking) return;
    line.asking = true;
    // One question for all that arrive in the same tick.
    await Promise.resolve();
    const last = lastOf(line.waiting);
    // Without Redis, nobody waits.
    const first = await this.jobs.order.upTo(appId, last, readAtMost).catch(() => []);
    line.asking = false;
    this.letGo(appId, line, first, last);
    if (line.waiting.length === 0) return;
    line.timer ??= setTimeout(() => {
      delete line.timer;
      void this.ask(appId, line);
    }, askEveryMs);
  }

  /** @param first the App's first places in order, up to `last` */
  private letGo(appId: string, line: Line, first: string[], last: string): void {
    const here = new Set([...line.gone, ...line.waiting.map(({ place }) => place)]);
    const elsewhere = first.filter((place) => !here.has(place));
    // Places beyond the ones that were read, or newer than `last`, are unknown.
    const known = first.length < readAtMost ? last : (first.at(-1) ?? last);
    const nowMs = performance.now();
    const late = lastOf(line.waiting.filter(({ untilMs }) => untilMs <= nowMs));
    const lost = elsewhere.filter((place) => place < late);
    for (const place of lost) this.jobs.order.leave(appId, place);
    if (lost.length > 0)
      this.logger.warn({ event: 'order.given_up', app: appId, receipts: lost.slice(0, 5), count: lost.length });
    const blocker = elsewhere.find((place) => place > late);
    const isFree = (place: string): boolean =>
      place <= late || (place <= known && (blocker === undefined || place < blocker));
    const free = line.waiting.filter(({ place }) => isFree(place)).sort((a, b) => (a.place < b.place ? -1 : 1));
    line.waiting = line.waiting.filter(({ place }) => !isFree(place));
    for (const { place, go } of free) {
      line.gone.add(place);
      go();
    }
  }
}

function lastOf(arrived: Arrived[]): string {
  return arrived.reduce((last, { place }) => (place > last ? place : last), '');
}

/** A turn as the router hands it over, with its session. */
export type Arrival = TurnRunPayload & { session: TurnOfSession };

/** Where a new turn begins: it runs, or it waits. */
export interface Place {
  session_id: string;
  epoch: number;
  state: Extract<TurnState, 'running' | 'waiting'>;
  input: TurnRunPayload['input'];
}

interface LockedSession {
  id: string;
  key: string;
  status: string;
  epoch: number;
  taken_over_epoch: number | null;
}

interface Placed {
  /** Turns that are already stored. They were placed when they first arrived. */
  known: string[];
  /** Sessions with a running turn. */
  busy: string[];
}

/**
 * Locks the sessions of turns in key order. A session without a running turn starts the turn whose message was
 * acknowledged first, unless a person has taken the session over. All others wait. The caller stores the turns in the
 * same transaction.
 */
export async function placeTurns(tx: Queryable, arrivals: Arrival[]): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  if (arrivals.length === 0) return places;
  // Within this batch, a turn that was overtaken by a retry or on another hop is moved back to the front.
  const inOrder = arrivals.toSorted((a, b) => orderOf(a, b));
  const firstOf = new Map<string, Arrival>();
  for (const arrival of inOrder) if (!firstOf.has(arrival.session.key)) firstOf.set(arrival.session.key, arrival);
  const firsts = [...firstOf.values()].sort((a, b) => (a.session.key < b.session.key ? -1 : 1));
  await startAnew(tx, firsts);
  const sessions = await lockSessions(tx, firsts);
  // A separate statement after the locks, so that it sees turns which ended before.
  const [placed] = (await tx.query(
    `SELECT ARRAY(SELECT id FROM engine.turn WHERE id = ANY($1)) AS known,
            ARRAY(SELECT session_id FROM engine.turn WHERE session_id = ANY($2) AND state IN ${activeStates}) AS busy`,
    [inOrder.map(({ turn_id }) => turn_id), [...sessions.values()].map(({ id }) => id)],
  )) as [Placed];
  const busy = new Set(placed.busy);
  const lines = await takeoverLines(tx, takenOverOf([...sessions.values()].filter(({ id }) => !busy.has(id))));
  for (const { turn_id, session: planned, input } of inOrder) {
    const session = sessions.get(planned.key);
    if (!session) throw new Error(`the session ${planned.key} was not returned`);
    if (placed.known.includes(turn_id)) continue;
    const place = { session_id: session.id, epoch: session.epoch };
    if (session.status === 'taken_over' || busy.has(session.id)) {
      places.set(turn_id, { ...place, state: 'waiting', input });
      continue;
    }
    busy.add(session.id);
    const takeover = lines.get(session.id);
    const whole = takeover && input ? { ...input, takeover: linesBetween(takeover, [new Date()]) } : input;
    places.set(turn_id, { ...place, state: 'running', input: whole });
  }
  return places;
}

/** The order of acknowledgement: receipt ids contain the time. */
function orderOf(a: TurnRunPayload, b: TurnRunPayload): number {
  if (a.receipt_id !== b.receipt_id) return a.receipt_id < b.receipt_id ? -1 : 1;
  return a.turn_id < b.turn_id ? -1 : 1;
}

function takenOverOf(sessions: LockedSession[]): string[] {
  return sessions.filter(({ taken_over_epoch }) => taken_over_epoch !== null).map(({ id }) => id);
}

/** Closes sessions that were silent for too long or since the daily reset hour. A new session can then use the key. */
async function startAnew(tx: Queryable, firsts: Arrival[]): Promise<void> {
  const resetting = firsts.filter(({ session }) => session.reset_before !== null);
  if (resetting.length === 0) return;
  await tx.query(
    `WITH due AS (
       SELECT s.id FROM engine.session s JOIN unnest($1::text[], $2::timestamptz[]) AS g(key, before) ON s.key = g.key
        WHERE s.updated_at < g.before AND s.status <> 'taken_over' AND NOT EXISTS (
          SELECT FROM engine.turn t WHERE t.session_id = s.id AND (t.state IN ${activeStates} OR t.ended_at >= g.before))
        ORDER BY s.key FOR UPDATE OF s),
     closed AS (
       UPDATE engine.session s SET key = s.key || ' until ' || s.id, status = 'closed' FROM due WHERE s.id = due.id
       RETURNING s.id)
     INSERT INTO engine.session_mark (session_id, at, kind, made_by) SELECT id, now(), 'reset', 'engine' FROM closed`,
    [resetting.map(({ session }) => session.key), resetting.map(({ session }) => session.reset_before)],
  );
}

async function lockSessions(tx: Queryable, firsts: Arrival[]): Promise<Map<string, LockedSession>> {
  const column = <T>(of: (entry: Arrival) => T): T[] => firsts.map(of);
  const rows = (await tx.query(
    `INSERT INTO engine.session AS s (id, organization_id, project_id, app_id, key, agent_id, contact_id, inbox_mode, epoch,
       status, created_at, updated_at)
     SELECT *, 1, 'active', now(), now() FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::text[], $8::text[])
     ON CONFLICT (key) DO UPDATE SET updated_at = excluded.updated_at, inbox_mode = excluded.inbox_mode,
       agent_id = excluded.agent_id, epoch = s.epoch + 1,
       status = CASE WHEN s.status = 'taken_over' THEN s.status ELSE 'active' END
     RETURNING id, key, status, epoch, taken_over_epoch`,
    [
      column(() => newId('ses')),
      column(({ organization_id }) => organization_id),
      column(({ project_id }) => project_id),
      column(({ app_id }) => app_id),
      column(({ session }) => session.key),
      column(({ agent_id }) => agent_id ?? null),
      column(({ session }) => session.contact_id),
      column(({ session }) => session.inbox_mode),
    ],
  )) as LockedSession[];
  return new Map(rows.map((row) => [row.key, row]));
}

/** What happened to the workflows of held turns since the turns were held; by turn id. */
export interface SinceHeld {
  /** Their workflow was suspended and has been released. */
  released: Set<string>;
  /** They wait for more messages, which were discarded. */
  discarded: Set<string>;
}

/**
 * Finds out what was released or discarded while turns were on their way here. The workflow's row stays locked until
 * the caller has stored the turns, so that a later release or discard sees them.
 */
export async function sinceHeld(tx: Queryable, payloads: TurnRunPayload[]): Promise<SinceHeld> {
  const since: SinceHeld = { released: new Set(), discarded: new Set() };
  for (const { turn_id, project_id, run, held } of payloads) {
    if (!held || !run) continue;
    const rows = (await tx.query(
      `INSERT INTO engine.workflow_release AS r (project_id, workflow_id, released_at) VALUES ($1, $2, '-infinity')
       ON CONFLICT (project_id, workflow_id) DO UPDATE SET released_at = r.released_at
       RETURNING r.released_at > $3::timestamptz AS released, r.discarded_at > $3::timestamptz AS discarded`,
      [project_id, run.workflow_id, held.at],
    )) as { released: boolean; discarded: boolean }[];
    if (held.until === 'workflow' && rows[0]?.released) since.released.add(turn_id);
    if (held.until === 'messages' && rows[0]?.discarded) since.discarded.add(turn_id);
  }
  return since;
}

/** Ends turns that arrived after they were discarded. */
export async function discardLate(tx: Queryable, journal: Journal, turnIds: Set<string>): Promise<void> {
  if (turnIds.size === 0) return;
  const rows: unknown = await tx.query(`${discardSql} id = ANY($1) RETURNING *`, [[...turnIds]]);
  for (const turn of (rows as [Turn[], number])[0]) {
    await journal.appendIn(tx, entryOf(turn, 'failed', 'discarded', null));
  }
}

/** Ends held turns, which a condition after it names. */
export const discardSql = `
  UPDATE engine.turn SET state = 'failed', reason = 'discarded', reply = 'none', held_for = NULL, ended_at = now()
   WHERE state = 'held' AND`;
