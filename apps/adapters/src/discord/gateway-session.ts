import { type Credentials, type DeliverFailure, deliverFailure, type JsonObject, lostCall } from '#libs/adapter-sdk';
import { EgressError, openWebSocket, type SocketNetwork, type WebSocket } from '#libs/egress';
import { hearsOf } from '../hearing/hears.js';
import { EventInbox } from '../held-sockets/event-inbox.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callDiscord, callInteraction, type DiscordSettings } from './discord-api.js';
import { GatewayConnection, OP } from './gateway-connection.js';
import { callbackOf, gatewayEvent } from './gateway-event.js';
import { type GatewayPosition, SessionNumbers } from './gateway-position.js';

export type GatewaySettings = DiscordSettings & SocketNetwork & { beginEveryMs?: number };

/** Which of a bot's connections it is: Discord divides its servers among them. */
export interface Shard {
  index: number;
  count: number;
}

/** Events that are lost, with times in RFC 3339. Absent: this process does not know since when. */
export interface SessionGap {
  reason: string;
  since?: string;
  until: string;
}

/** Messages and reactions, in servers and direct. */
const INTENTS = (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13);
/** What messages say that are not to the bot. */
const MESSAGE_CONTENT = 1 << 15;
/** After these Discord takes the session no more, but takes a new one. */
const SESSION_ENDED = [4_003, 4_007, 4_009];
const REFUSALS: Readonly<Record<number, string>> = {
  4_004: 'Discord does not accept the bot token',
  4_010: 'Discord knows no connection with this number',
  4_011: 'the bot is in too many servers for its connections, and Discord names no other number of them',
  4_012: 'Discord no longer takes this version of its Gateway',
  4_013: 'Discord does not know the intents that were asked for',
  4_014:
    'switch on Message Content Intent under Bot in the settings of the Discord app, or let the App hear mentions only',
};
/** A new session counts against a thousand a day, beyond which Discord resets the token: a person has to act first. */
const REFUSED_RETRY_SECONDS = 300;
const SESSIONS_LEFT = 20;

/**
 * A bot's events over Discord's Gateway. Discord repeats what came after a position for some minutes, so nothing is lost
 * when the process dies.
 * Source: https://docs.discord.com/developers/events/gateway
 */
export class GatewaySession {
  readonly inbox: EventInbox;
  private readonly numbers = new SessionNumbers();
  private socket: WebSocket | null = null;
  private opening: Promise<DeliverFailure | null> | null = null;
  private refusal: DeliverFailure | null = null;
  /** Discord still has the session that was begun last. */
  private continues = false;
  /** The first number after events that are lost. */
  private gapAt: number | null = null;
  private gapTimes: Omit<SessionGap, 'reason'> = { until: '' };
  private lost: string | null = null;
  private begun: string | null = null;
  private closed = false;

  constructor(
    private readonly credentials: Credentials,
    private readonly settings: GatewaySettings,
    private readonly shard: Shard,
    waiting: Set<() => void>,
  ) {
    this.inbox = new EventInbox(waiting);
  }

  get isOpen(): boolean {
    return this.socket !== null;
  }

  /** Discord has a session that it can go on with; else it has to begin one, which Discord counts. */
  get goesOn(): boolean {
    return this.continues && !this.socket;
  }

  /** Whether a position is of a session that this one has begun or goes on with. */
  knows(position: GatewayPosition): boolean {
    return this.numbers.find(position) !== undefined;
  }

  /** What Discord did not keep, until somebody says that they heard of it. */
  get gap(): SessionGap | null {
    return this.gapAt === null ? null : { reason: 'session_ended', ...this.gapTimes };
  }

  /** When this process began a session, in RFC 3339; null: it has begun none. */
  get begunAt(): string | null {
    return this.begun;
  }

  /** Since when no socket of this process brings its events, in RFC 3339; null: one does, or none has yet. */
  get lostAt(): string | null {
    return this.lost;
  }

  /** @param number of the inbox */
  positionOf(number: number): GatewayPosition | null {
    return this.numbers.position(number);
  }

  /** Takes what is stored up to there; a process that held no session goes on from there. */
  goOnFrom(position: GatewayPosition): void {
    const number = this.numbers.find(position);
    if (number === undefined) {
      if (this.socket || this.opening) return;
      this.numbers.begin(position, this.inbox.last);
      // Discord keeps what a session asked for: one that asked for something else is a gap, and a new one is begun.
      this.continues = position.intents === this.intents;
      return;
    }
    this.inbox.acknowledge(number);
    this.inbox.read(number);
    this.numbers.forgetBefore(number);
    if (this.gapAt !== null && number >= this.gapAt) [this.gapAt, this.gapTimes] = [null, { until: '' }];
  }

  /** Opens the socket where it is not open; it then goes on or begins. @returns why that failed */
  async connect(): Promise<DeliverFailure | null> {
    const { refusal } = this;
    this.refusal = null;
    if (refusal) return refusal;
    if (this.socket) return null;
    this.opening ??= this.open().finally(() => (this.opening = null));
    return this.opening;
  }

  /** Continues to read where the inbox has room again. */
  resume(): void {
    if (!this.inbox.isFull) this.socket?.resume();
  }

  /** The session stays, for whoever connects next. */
  close(): void {
    this.closed = true;
    this.socket?.terminate();
  }

  private async open(): Promise<DeliverFailure | null> {
    const address = await this.address();
    if (typeof address !== 'string') return address;
    const begun = Promise.withResolvers<DeliverFailure | null>();
    const late = deliverFailure('timeout', 'Discord does not begin a session', { retryable: true });
    const timer = setTimeout(() => begun.resolve(late), this.settings.timeoutMs);
    const connection = new GatewayConnection({
      greet: () => this.greeting(),
      position: () => this.numbers.seqOf(this.inbox.stored),
      sessionEnded: () => (this.continues = false),
      dispatch: (name, seq, data, socket) => {
        this.receive(name, seq, data);
        if (name === 'RESUMED') this.lost = null;
        if (name === 'READY' || name === 'RESUMED') begun.resolve(null);
        if (!this.inbox.isFull) return;
        socket.pause();
        // What is repeated may be more than there is room for: it is handed out before the rest, and its end, are read.
        begun.resolve(null);
      },
    });
    try {
      const events = {
        message: (text: string, from: WebSocket) => connection.receive(text, from),
        closed: (code: number) => {
          connection.end();
          const failure = this.ended(code);
          if (this.socket) {
            this.refusal = failure.error === 'auth_failed' ? failure : null;
            this.lost ??= new Date().toISOString();
          }
          this.socket = null;
          begun.resolve(failure);
          this.inbox.wake();
        },
      };
      const socket = await openWebSocket(`${address}/?v=10&encoding=json`, this.settings, events, 'none');
      const failure = await begun.promise;
      if (!failure && !this.closed && socket.readyState === socket.OPEN) this.socket = socket;
      else socket.terminate();
      return failure;
    } catch (error) {
      if (error instanceof EgressError) return lostCall(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async address(): Promise<string | DeliverFailure> {
    const known = this.continues ? this.numbers.position(this.inbox.last)?.url : undefined;
    if (known !== undefined) return known.replace(/\/+$/, '');
    const answer = await callDiscord('/gateway/bot', { method: 'GET' }, this.credentials, this.settings);
    if (!answer.ok) return answer;
    const { remaining, reset_after: resetMs } = objectOf(answer.fields.session_start_limit);
    if (typeof remaining === 'number' && remaining < SESSIONS_LEFT) {
      const retry_after = Math.min(3_600, Math.ceil(Number(resetMs) / 1_000) || 60);
      return deliverFailure('rate_limited', 'Discord begins no more sessions of this bot today', { retry_after });
    }
    return (textOf(answer.fields.url) ?? '').replace(/\/+$/, '');
  }

  /** What the session asks for. */
  private get intents(): number {
    return hearsOf(this.credentials) === 'mentions' ? INTENTS : INTENTS | MESSAGE_CONTENT;
  }

  private greeting(): JsonObject {
    const token = textOf(this.credentials.token) ?? '';
    const position = this.continues ? this.numbers.position(this.inbox.last) : null;
    if (position) return { op: OP.resume, d: { token, session_id: position.session, seq: position.seq } };
    const { intents } = this;
    const properties = { os: process.platform, browser: 'gatehouse', device: 'gatehouse' };
    const { index, count } = this.shard;
    const shard = count === 1 ? {} : { shard: [index, count] };
    return { op: OP.identify, d: { token, intents, properties, ...shard } };
  }

  private receive(name: string, seq: number, data: JsonObject): void {
    if (name === 'READY') return this.begin(data, seq);
    const number = this.numbers.numberOf(seq);
    const event = gatewayEvent(name, data, `${this.numbers.position(number)?.session}:${seq}`);
    if (!event) return this.inbox.read(number);
    const callback = callbackOf(name, data);
    this.inbox.add(number, event, () => {
      // As the answer of the webhook does: Discord shows that the app thinks. Too late, the answer is a message of its own.
      if (callback !== undefined) {
        void callInteraction(callback, { method: 'POST', json: { type: 5 } }, this.settings);
      }
    });
  }

  private begin({ session_id: session, resume_gateway_url: url }: JsonObject, seq: number): void {
    const number = this.inbox.last + seq;
    this.begun = new Date().toISOString();
    // Another one was there before.
    if (this.numbers.position(number)) {
      const since = this.gapTimes.since ?? this.lost;
      this.gapTimes = { ...(since !== null && { since }), until: this.begun };
      this.gapAt = number;
    }
    this.lost = null;
    const { intents } = this;
    this.numbers.begin({ session: textOf(session) ?? '', url: textOf(url) ?? '', seq, intents }, number);
    this.inbox.read(number);
    this.continues = true;
  }

  /** What the end of the socket says. */
  private ended(code: number): DeliverFailure {
    if (SESSION_ENDED.includes(code)) this.continues = false;
    const refusal = REFUSALS[code];
    if (refusal === undefined) {
      return deliverFailure('provider_unavailable', 'Discord closed the connection', { provider_code: String(code) });
    }
    this.continues = false;
    const detail = { provider_code: String(code), retry_after: REFUSED_RETRY_SECONDS };
    return deliverFailure('auth_failed', refusal, detail);
  }
}
