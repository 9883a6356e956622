import type { IncomingMessage, ServerResponse } from 'node:http';
import { limitReached } from '../limit-reached.js';
import { Problem } from '../problem.js';
import { bodyTooLarge } from './announced-body.js';
import type { BodyLimits } from './body-limits.js';
import { networkOf } from './network-of.js';
import { sendContinue } from './unread-body.js';

/** Whose body it is, and how long it may be. */
export interface BodyOwner {
  maxBytes: number;
  /** Of the client, behind all trusted proxies. */
  address: string;
  /** What it is for: the App of a webhook, or its token; a caller's credential. */
  target: string;
}

/** Bytes that count as memory in use. */
interface Held {
  address: string;
  counted: number;
}

interface Arriving extends BodyOwner, Held {
  startedMs: number;
  bytes: number;
  /** Has not come promptly, and has a place among the slow ones. */
  slow: boolean;
  fail(problem: Problem): void;
}

/** The first bytes of each body are not counted: nearly all bodies are no longer, and there are only so many connections. */
const uncountedBytes = 16_384;

/**
 * Reads bodies whole. Those that arrive promptly are limited only in memory. A slow one needs a place, of which each
 * address and each target has a few, and a minimal rate: so slow clients hold a connection of their own and nothing
 * else, and whoever opens many is refused the surplus.
 */
export class IncomingBodies {
  private readonly arriving = new Set<Arriving>();
  private readonly slowOf = { address: new Tally(), target: new Tally() };
  private readonly memory = new Tally();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly limits: BodyLimits) {}

  /** Bodies that are arriving, and those of them that are slow. */
  get counts(): { arriving: number; slow: number; bytes: number } {
    return { arriving: this.arriving.size, slow: this.slowOf.address.total, bytes: this.memory.total };
  }

  /**
   * @param response the body's memory counts until it is closed
   * @throws Problem 413 `body_too_large`, 408 `body_too_slow`, 429 `too_many_slow_bodies`, 503 `busy`, 400 `aborted`
   */
  read(request: IncomingMessage, response: ServerResponse, owner: BodyOwner): Promise<Buffer> {
    const { maxBytes } = owner;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(bodyTooLarge(maxBytes));
    sendContinue(request);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const body: Arriving = {
        maxBytes,
        address: networkOf(owner.address),
        target: owner.target,
        startedMs: performance.now(),
        bytes: 0,
        counted: 0,
        slow: false,
        fail: (problem) => {
          request.off('data', take);
          request.resume();
          this.leave(body);
          reject(problem);
        },
      };
      const take = (chunk: Buffer): void => {
        body.bytes += chunk.length;
        if (body.bytes > maxBytes) return body.fail(bodyTooLarge(maxBytes));
        if (body.bytes > uncountedBytes && !this.holds(body, chunk.length, response)) {
          return body.fail(this.outOfMemory());
        }
        chunks.push(chunk);
      };
      this.enter(body);
      request.on('data', take);
      request.once('end', () => {
        this.leave(body);
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      });
      request.once('error', (error) => {
        this.leave(body);
        reject(error);
      });
      request.once('aborted', () => body.fail(new Problem(400, 'aborted', 'The request ended before its body did.')));
    });
  }

  /**
   * Counts memory for what is made of a body, until its request is answered.
   * @returns what is called with each number of bytes more. @throws Problem 503 `busy`, when called
   */
  holder({ address: client }: Pick<BodyOwner, 'address'>, response: ServerResponse): (bytes: number) => void {
    const made: Held = { address: networkOf(client), counted: 0 };
    let total = 0;
    return (bytes) => {
      total += bytes;
      if (total > uncountedBytes && !this.holds(made, bytes, response)) throw this.outOfMemory();
    };
  }

  private enter(body: Arriving): void {
    this.arriving.add(body);
    this.timer ??= setInterval(() => this.review(), Math.max(20, this.limits.BODY_PROMPT_MS / 4)).unref();
  }

  private leave(body: Arriving): void {
    if (!this.arriving.delete(body) || !body.slow) return;
    this.slowOf.address.add(body.address, -1);
    this.slowOf.target.add(body.target, -1);
  }

  /** @returns whether there is memory for so many bytes more */
  private holds(held: Held, bytes: number, response: ServerResponse): boolean {
    const { BODY_MEMORY_BYTES: all, BODY_MEMORY_BYTES_PER_ADDRESS: each } = this.limits;
    const { address } = held;
    // The client has gone, and nothing would give the bytes back.
    if (response.destroyed) return true;
    if (this.memory.total + bytes > all || this.memory.of(address) + bytes > each) return false;
    if (held.counted === 0) response.once('close', () => this.memory.add(address, -held.counted));
    held.counted += bytes;
    this.memory.add(address, bytes);
    return true;
  }

  private review(): void {
    const nowMs = performance.now();
    for (const body of this.arriving) {
      const ageMs = nowMs - body.startedMs;
      // They are in the order in which they began.
      if (ageMs < this.limits.BODY_PROMPT_MS) break;
      const problem = (body.slow ? null : this.place(body)) ?? this.rate(body, ageMs);
      if (problem) body.fail(problem);
    }
    if (this.arriving.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }

  /** Gives a body one of the places of slow ones. */
  private place(body: Arriving): Problem | null {
    const { address, target } = this.slowOf;
    const { SLOW_BODIES_PER_ADDRESS, SLOW_BODIES_PER_TOKEN, SLOW_BODIES } = this.limits;
    if (address.of(body.address) >= SLOW_BODIES_PER_ADDRESS) return tooManySlow('address', { SLOW_BODIES_PER_ADDRESS });
    if (target.of(body.target) >= SLOW_BODIES_PER_TOKEN) return tooManySlow('token', { SLOW_BODIES_PER_TOKEN });
    if (address.total >= SLOW_BODIES) return tooManySlow('replica', { SLOW_BODIES });
    body.slow = true;
    address.add(body.address, 1);
    target.add(body.target, 1);
    return null;
  }

  private rate({ bytes }: Arriving, ageMs: number): Problem | null {
    const { BODY_GRACE_MS: graceMs, BODY_MIN_BYTES_PER_SECOND: perSecond } = this.limits;
    const overMs = ageMs - graceMs;
    if (overMs <= 0 || bytes >= Math.max(1, (perSecond * overMs) / 1_000)) return null;
    const detail = `After ${Math.round(ageMs / 1_000)} s only ${bytes} bytes of the body had come, and ${perSecond} a second are the least (BODY_MIN_BYTES_PER_SECOND): send it again, faster.`;
    return new Problem(408, 'body_too_slow', detail, [], closes);
  }

  private outOfMemory(): Problem {
    const detail = 'Too many long bodies arrive at once (BODY_MEMORY_BYTES): send this again later.';
    return new Problem(503, 'busy', detail, [], { ...closes, 'retry-after': '2' });
  }
}

const closes = { connection: 'close' };

function tooManySlow(of: 'address' | 'token' | 'replica', limit: Record<string, number>): Problem {
  const [[name, value] = ['', 0]] = Object.entries(limit);
  const what = `Too many bodies ${whose[of]} arrive slowly, so send this one whole`;
  const raise = `An operator raises it with ${name}.`;
  return limitReached('too_many_slow_bodies', what, { name, of, value, raise }, 2, closes);
}

const whose = { address: 'from this address', token: 'for this token', replica: 'in all' };

/** Amounts in use, by name. A name that uses nothing is not kept. */
class Tally {
  private readonly amounts = new Map<string, number>();
  total = 0;

  of(name: string): number {
    return this.amounts.get(name) ?? 0;
  }

  /** @param amount negative: given back */
  add(name: string, amount: number): void {
    this.total += amount;
    const now = this.of(name) + amount;
    if (now > 0) this.amounts.set(name, now);
    else this.amounts.delete(name);
  }
}
