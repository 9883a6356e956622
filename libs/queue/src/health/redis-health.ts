import { Logger } from '@nestjs/common';
import { redisTrouble, type RedisTrouble, type RedisTroubleCode } from './redis-trouble.js';

/** A trouble of now. */
export interface RedisState extends RedisTrouble {
  /** RFC 3339 */
  since: string;
}

interface Seen {
  trouble: RedisTrouble;
  sinceMs: number;
  lastMs: number;
}

const remindEveryMs = 60_000;
/** Each trouble that lasts is reported again within this time: by a connection, by a read of a queue or by a probe. */
const repeatsWithinMs = 20_000;

/** How long what came back has to have been there: each return has everything swept that may be missing. */
export const returnQuietMs = 3_000;

/**
 * A probe uses one connection and few commands. What it cannot refute ends when nothing has reported it for so long:
 * connections are tried again each second, and so is a read of a queue.
 */
const quietMs: Partial<Record<RedisTroubleCode, number>> = {
  unreachable: returnQuietMs,
  tls: 3_000,
  wrong_login: 3_000,
  too_many_clients: 3_000,
  not_permitted: repeatsWithinMs,
  refused: repeatsWithinMs,
};

/**
 * What is wrong with Redis for one service, from the errors of all its connections and from probes. One warning a
 * state and a reminder each minute, and one line when it is over; a trouble that comes and goes has no more of them.
 */
export class RedisHealth {
  private readonly logger = new Logger('redis');
  private readonly seen = new Map<RedisTroubleCode, Seen>();
  private readonly warnedMs = new Map<RedisTroubleCode, number>();
  private readonly listeners: (() => void)[] = [];
  private isWarned = false;
  private announcedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly now: () => number = Date.now) {}

  /** Calls the listener whenever Redis works again: jobs that it refused meanwhile are missing. */
  onRecovery(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** @returns whether the error says what is wrong with Redis */
  note(error: unknown): boolean {
    const trouble = redisTrouble(error);
    if (trouble) this.noteTrouble(trouble);
    return trouble !== null;
  }

  noteTrouble(trouble: RedisTrouble): void {
    const now = this.now();
    for (const [code, { lastMs }] of this.seen) {
      if (code !== trouble.code && now - lastMs >= repeatsWithinMs) this.seen.delete(code);
    }
    this.seen.set(trouble.code, { trouble, sinceMs: this.seen.get(trouble.code)?.sinceMs ?? now, lastMs: now });
    this.warn();
  }

  /** A probe was answered in full. */
  noteAnswer(): void {
    const wasTrouble = this.seen.size > 0;
    for (const [code, { lastMs }] of this.seen) {
      if (this.now() - lastMs >= (quietMs[code] ?? 0)) this.seen.delete(code);
    }
    if (this.seen.size > 0) return this.warn();
    if (this.isWarned) this.logger.log({ event: 'redis.works_again' });
    this.isWarned = false;
    if (wasTrouble) this.announce();
  }

  /**
   * What refused jobs takes them again, and has for `returnQuietMs`: a node of a Cluster, of which a probe of others
   * knows nothing. What was announced meanwhile covers it.
   */
  noteReturn(): void {
    const agoMs = this.now() - this.announcedMs;
    // Less than 0: the clock was set back.
    if (agoMs < 0 || agoMs >= returnQuietMs) this.announce();
  }

  private announce(): void {
    this.announcedMs = this.now();
    for (const listener of this.listeners) listener();
  }

  /** The most telling of those that hold now, or null. */
  state(): RedisState | null {
    const held = [...this.seen.values()];
    // While a login is refused, its connection is closed: that Redis `does not answer` is only the consequence.
    const seen = held.find(({ trouble }) => trouble.code !== 'unreachable') ?? held[0];
    return seen ? { ...seen.trouble, since: new Date(seen.sinceMs).toISOString() } : null;
  }

  private warn(): void {
    const state = this.state();
    if (!state) return;
    const warned = this.warnedMs.get(state.code);
    if (warned !== undefined && this.now() - warned < remindEveryMs) return;
    this.warnedMs.set(state.code, this.now());
    this.isWarned = true;
    const { code, text, what_to_do, since } = state;
    this.logger.warn({ event: 'redis.trouble', code, error: text, what_to_do, since });
  }
}
