import {
  type Credentials,
  type DeliverError,
  type DeliverFailure,
  deliverFailure,
  POLL_MAX_EVENTS,
  type PolledEvent,
} from '#libs/adapter-sdk';
import { setTimeout as pause } from 'node:timers/promises';
import { type AnswerRoom, MAX_ANSWER_CHARACTERS } from '../held-sockets/event-inbox.js';
import { objectOf } from '../provider-calls/json-fields.js';
import { callDiscord } from './discord-api.js';
import type { GatewayPosition } from './gateway-position.js';
import { GatewaySession, type GatewaySettings, type SessionGap } from './gateway-session.js';

/** As many positions fit into a cursor. Discord suggests one connection for a thousand servers. */
const MOST_SHARDS = 40;
/** Discord begins `max_concurrency` sessions in this time. */
const BEGIN_EVERY_MS = 5_000;
/** One that fails beside others that are open rests, ever longer: each try may count as one of a day's sessions. */
const MOST_REST_MS = 300_000;
/** It wants more connections, or knows none with such a number. */
const WRONG_SHARDS: readonly unknown[] = ['4010', '4011'];

/**
 * All connections of a bot: one, or as many as Discord wants of a bot in thousands of servers (shards), each with its own
 * session and position. Those that are open go on while others fail. Where Discord wants another number, all begin anew,
 * once what they brought is stored.
 * Source: https://docs.discord.com/developers/events/gateway#sharding
 */
export class GatewayShards {
  private sessions: GatewaySession[] = [];
  private readonly waiting = new Set<() => void>();
  private opening: Promise<DeliverFailure | null> | null = null;
  /** Resolves when the first one is open. */
  private firstOpen = Promise.withResolvers<null>();
  private readonly rests = new Map<GatewaySession, { until: number; times: number; failure: DeliverFailure }>();
  /** Why one of them was not opened when it was last tried; null: all were. */
  private lastFailure: DeliverFailure | null = null;
  private wrongNumber: DeliverFailure | null = null;
  /** Since some have not begun, what they would have brought is lost. */
  private unbegun: { since: string | null } | null = null;
  private concurrency = 1;
  private begunAtMs = 0;
  private turn = 0;
  private closed = false;

  constructor(
    private readonly credentials: Credentials,
    private readonly settings: GatewaySettings,
  ) {}

  /** What Discord did not keep, until somebody says that they heard of it. */
  get gap(): SessionGap | null {
    const gaps = [...this.gapOfUnbegun(), ...this.sessions.flatMap(({ gap }) => gap ?? [])];
    const [first] = gaps;
    if (!first) return null;
    // What answers it has heard of all of them.
    const [since] = gaps.flatMap((gap) => gap.since ?? []).toSorted();
    const until = gaps.map((gap) => gap.until).toSorted();
    return { reason: first.reason, ...(since !== undefined && { since }), until: until.at(-1) ?? first.until };
  }

  /** It ends once the last one has begun. */
  get hasOpenGap(): boolean {
    return this.unbegun !== null && this.sessions.some((session) => session.positionOf(session.inbox.last) === null);
  }

  /** Which of them have failed and are not open while others are, each with why; null: none is known to fail. */
  get degraded(): { error: DeliverError; message: string } | null {
    const { sessions, rests } = this;
    const failed = sessions.flatMap((session, index) => {
      const failure = session.isOpen ? undefined : rests.get(session)?.failure;
      return failure ? [{ index, error: failure.error, why: failure.error_detail?.message ?? failure.error }] : [];
    });
    const [first] = failed;
    if (!first || !this.isOpen) return null;
    const reasons = [...Map.groupBy(failed, ({ why }) => why)].map(([why, alike]) => {
      const which = alike.length === 1 ? 'shard' : 'shards';
      return `(${which} ${alike.map(({ index }) => index).join(', ')}): ${why}`;
    });
    const message = `${failed.length} of ${sessions.length} connections fail ${reasons.join('; ')}`;
    return { error: first.error, message };
  }

  get hasEvents(): boolean {
    return this.sessions.some(({ inbox }) => !inbox.isEmpty);
  }

  get isOpen(): boolean {
    return this.sessions.some(({ isOpen }) => isOpen);
  }

  /** @param positions of each connection; null for one that had none yet */
  goOnFrom(positions: (GatewayPosition | null)[]): void {
    if (this.sessions.length === 0) this.make(positions.length);
    // Of another number of connections: nothing of these is stored.
    if (positions.length !== this.sessions.length) return;
    for (const [index, position] of positions.entries()) if (position) this.sessions[index]?.goOnFrom(position);
    // Whoever gave the answer had not begun it: since then it has brought nothing.
    if (positions.includes(null)) this.unbegun ??= { since: null };
    else if (positions.every((position, index) => position && this.sessions[index]?.knows(position))) {
      this.unbegun = null;
    }
  }

  /**
   * Opens what is not open, which goes on after the answer. It waits for the first one, not for all.
   * @returns why one of them is not open
   */
  async connect(): Promise<DeliverFailure | null> {
    if (!this.opening) {
      this.firstOpen = Promise.withResolvers();
      this.opening = this.openAll()
        .then((failure) => (this.lastFailure = failure))
        .finally(() => (this.opening = null));
    }
    if (this.isOpen || (this.hasEvents && this.sessions.length > 1)) return this.lastFailure;
    const known = [this.opening, this.firstOpen.promise];
    if (this.sessions.length !== 1) known.push(pause(this.settings.timeoutMs, null, { ref: false }));
    return (await Promise.race(known)) ?? this.lastFailure;
  }

  resume(): void {
    for (const session of this.sessions) session.resume();
  }

  close(): void {
    this.closed = true;
    for (const session of this.sessions) session.close();
  }

  /** What is not stored, of each connection in turn. Waits if there is nothing, until there is. */
  async next(waitMs: number): Promise<{ events: PolledEvent[]; positions: (GatewayPosition | null)[] }> {
    if (!this.hasEvents && waitMs > 0) await this.sessions[0]?.inbox.arrival(waitMs);
    const room: AnswerRoom = { events: POLL_MAX_EVENTS, characters: MAX_ANSWER_CHARACTERS };
    this.turn += 1;
    const { length } = this.sessions;
    const events: PolledEvent[] = [];
    const positions: (GatewayPosition | null)[] = this.sessions.map(() => null);
    for (let step = 0; step < length; step += 1) {
      const index = (this.turn + step) % length;
      const session = this.sessions[index];
      if (!session) continue;
      const next = session.inbox.take(room);
      events.push(...next.events);
      positions[index] = session.positionOf(next.seq);
    }
    return { events, positions };
  }

  /** Until the last one began; while some have not, until now. */
  private gapOfUnbegun(): SessionGap[] {
    if (!this.unbegun) return [];
    const begun = this.hasOpenGap ? [] : this.sessions.flatMap(({ begunAt }) => begunAt ?? []);
    const { since } = this.unbegun;
    const until = begun.toSorted().at(-1) ?? new Date().toISOString();
    return [{ reason: 'shards_changed', ...(since !== null && { since }), until }];
  }

  private make(count: number): void {
    const { credentials, settings, waiting } = this;
    this.rests.clear();
    this.sessions = Array.from(
      { length: count },
      (_, index) => new GatewaySession(credentials, settings, { index, count }, waiting),
    );
  }

  private async openAll(): Promise<DeliverFailure | null> {
    if (this.sessions.length === 0) {
      const count = await this.wanted();
      if (typeof count !== 'number') return count;
      this.make(count);
    }
    const failure = this.wrongNumber ?? (await this.openEach());
    if (!failure || !isWrongNumber(failure)) return failure;
    // What came before is handed out, and stored, while these still know it.
    this.wrongNumber = this.hasEvents ? failure : null;
    if (this.wrongNumber) return failure;
    const [lostAt] = this.sessions.flatMap((each) => each.lostAt ?? []).toSorted();
    const since = lostAt ?? new Date().toISOString();
    const count = await this.wanted();
    if (typeof count !== 'number') return count;
    if (count === this.sessions.length) return failure;
    for (const session of this.sessions) session.close();
    this.unbegun = { since };
    this.make(count);
    return this.openEach();
  }

  /**
   * Those that go on at once; those that begin, and those that Discord has forgotten meanwhile, as many at a time as it
   * allows. What fails is left for later, and the others go on.
   */
  private async openEach(): Promise<DeliverFailure | null> {
    const isAlone = !this.isOpen;
    const now = Date.now();
    const failures = new Map<GatewaySession, DeliverFailure>();
    const due = this.sessions.filter((each) => !each.isOpen && (isAlone || (this.rests.get(each)?.until ?? 0) <= now));
    const open = (some: GatewaySession[]): Promise<unknown> =>
      Promise.all(
        some.map(async (each) => {
          const failure = await this.openOne(each);
          if (failure) failures.set(each, failure);
        }),
      );
    await open(due.filter(({ goesOn }) => goesOn));
    let left = due.filter((each) => !each.isOpen && !failures.has(each));
    while (left.length > 0 && ![...failures.values()].some(isWrongNumber)) {
      const batch = this.batchOf(left);
      const waitMs = this.begunAtMs + (this.settings.beginEveryMs ?? BEGIN_EVERY_MS) - Date.now();
      if (waitMs > 0) await pause(waitMs, null, { ref: false });
      if (this.closed) break;
      await open(batch);
      this.begunAtMs = Date.now();
      left = left.filter((each) => !batch.includes(each));
    }
    const all = [...failures.values()];
    const resting = this.sessions.some((each) => !due.includes(each) && !each.isOpen);
    return all.find(isWrongNumber) ?? all[0] ?? (resting ? this.lastFailure : null);
  }

  private async openOne(session: GatewaySession): Promise<DeliverFailure | null> {
    const { goesOn } = session;
    const failure = await session.connect();
    if (session.isOpen) this.firstOpen.resolve(null);
    // Its position is reported at once.
    if (session.isOpen && !goesOn) session.inbox.wake();
    if (!failure) this.rests.delete(session);
    // Discord has forgotten it: it is not refused, only to be begun.
    if (!failure || (goesOn && !session.goesOn && failure.error !== 'auth_failed')) return null;
    const times = (this.rests.get(session)?.times ?? 0) + 1;
    const { retry_after: seconds } = failure.error_detail ?? {};
    const everyMs = this.settings.beginEveryMs ?? BEGIN_EVERY_MS;
    // To go on counts as no session, and Discord keeps it for some minutes only.
    const restMs = session.goesOn ? everyMs : Math.min(everyMs * 2 ** times, MOST_REST_MS);
    const ms = seconds === undefined ? restMs : seconds * 1_000;
    this.rests.set(session, { until: Date.now() + ms, times, failure });
    // Whoever waits for events hears of it now.
    if (this.lastFailure?.error !== failure.error) session.inbox.wake();
    this.lastFailure = failure;
    return failure;
  }

  /** Discord counts those apart whose numbers differ modulo how many may begin at a time. */
  private batchOf(left: readonly GatewaySession[]): GatewaySession[] {
    const laneOf = (session: GatewaySession): number => this.sessions.indexOf(session) % this.concurrency;
    return left.filter((session, at) => left.findIndex((other) => laneOf(other) === laneOf(session)) === at);
  }

  /** How many connections Discord wants. */
  private async wanted(): Promise<number | DeliverFailure> {
    const answer = await callDiscord('/gateway/bot', { method: 'GET' }, this.credentials, this.settings);
    if (!answer.ok) return answer;
    const { shards, session_start_limit: limit } = answer.fields;
    this.concurrency = Math.max(1, Math.floor(Number(objectOf(limit).max_concurrency)) || 1);
    const count = Math.max(1, Math.floor(Number(shards)) || 1);
    if (count <= MOST_SHARDS) return count;
    const words = `Discord wants ${count} connections of this bot: an App holds at most ${MOST_SHARDS}`;
    return deliverFailure('unsupported', words);
  }
}

function isWrongNumber({ error_detail: detail }: DeliverFailure): boolean {
  return WRONG_SHARDS.includes(detail?.provider_code);
}
