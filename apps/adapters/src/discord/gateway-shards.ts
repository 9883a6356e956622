import {
  type Credentials,
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
import { GatewaySession, type GatewaySettings } from './gateway-session.js';

/** As many positions fit into a cursor. Discord suggests one connection for a thousand servers. */
const MOST_SHARDS = 40;
/** Discord begins `max_concurrency` sessions in this time. */
const BEGIN_EVERY_MS = 5_000;
/** It wants more connections, or knows none with such a number. */
const WRONG_SHARDS: readonly unknown[] = ['4010', '4011'];

/**
 * All connections of a bot: one, or as many as Discord wants of a bot in thousands of servers (shards), each with its own
 * session and position. Where Discord wants another number, all begin anew, once what they brought is stored.
 * Source: https://docs.discord.com/developers/events/gateway#sharding
 */
export class GatewayShards {
  private sessions: GatewaySession[] = [];
  private readonly waiting = new Set<() => void>();
  private opening: Promise<DeliverFailure | null> | null = null;
  private renumbered: { reason: string; until: string } | null = null;
  private concurrency = 1;
  private turn = 0;
  private closed = false;

  constructor(
    private readonly credentials: Credentials,
    private readonly settings: GatewaySettings,
  ) {}

  /** What Discord did not keep, until somebody says that they heard of it. */
  get gap(): { reason: string; until: string } | null {
    return this.renumbered ?? this.sessions.find(({ gap }) => gap !== null)?.gap ?? null;
  }

  get hasEvents(): boolean {
    return this.sessions.some(({ inbox }) => !inbox.isEmpty);
  }

  /** @param positions of each connection; null for one that had none yet */
  goOnFrom(positions: (GatewayPosition | null)[]): void {
    if (this.sessions.length === 0) this.make(positions.length);
    // Of another number of connections: nothing of these is stored.
    if (positions.length !== this.sessions.length) return;
    for (const [index, position] of positions.entries()) if (position) this.sessions[index]?.goOnFrom(position);
    if (positions.every((position, index) => position && this.sessions[index]?.knows(position))) this.renumbered = null;
  }

  /** Opens what is not open. It goes on after the answer where that takes long. @returns why that failed */
  async connect(): Promise<DeliverFailure | null> {
    this.opening ??= this.openAll().finally(() => (this.opening = null));
    if (this.sessions.length === 1) return this.opening;
    return Promise.race([this.opening, pause(this.settings.timeoutMs, null, { ref: false })]);
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

  private make(count: number): void {
    const { credentials, settings, waiting } = this;
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
    const failure = await this.openEach();
    if (!failure || !WRONG_SHARDS.includes(failure.error_detail?.provider_code)) return failure;
    // What came before is handed out, and stored, while these still know it.
    if (this.hasEvents) return failure;
    const count = await this.wanted();
    if (typeof count !== 'number') return count;
    if (count === this.sessions.length) return failure;
    for (const session of this.sessions) session.close();
    this.renumbered = { reason: 'shards_changed', until: new Date().toISOString() };
    this.make(count);
    return this.openEach();
  }

  /** Those that go on at once; those that begin, as many at a time as Discord allows. */
  private async openEach(): Promise<DeliverFailure | null> {
    const { sessions, concurrency } = this;
    const failures = await Promise.all(sessions.filter(({ goesOn }) => goesOn).map((each) => each.connect()));
    const beginning = sessions.filter(({ goesOn, isOpen }) => !goesOn && !isOpen);
    for (let at = 0; at < beginning.length && !this.closed; at += concurrency) {
      if (at > 0) await pause(this.settings.beginEveryMs ?? BEGIN_EVERY_MS, undefined, { ref: false });
      const begun = await Promise.all(beginning.slice(at, at + concurrency).map((each) => each.connect()));
      const failure = begun.find((each) => each !== null);
      if (failure) return failure;
    }
    return failures.find((each) => each !== null) ?? null;
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
