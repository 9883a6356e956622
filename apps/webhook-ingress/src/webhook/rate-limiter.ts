import { bySetting, limitReached } from '#libs/service-kit';
import { asRefused } from '../request/incoming.js';

/** What is limited, for those who reach it. */
export interface RateLimit {
  /** Of the answer. */
  code: string;
  name: string;
  of: 'address' | 'endpoint';
  what: string;
  most: number;
  windowMs: number;
}

/**
 * A ceiling against abuse: requests per window and key, counted in this replica. In memory on purpose: a limiter in a
 * store would delay every answer, and would have to let requests through while the store is down.
 */
export class RateLimiter {
  private counts = new Map<string, number>();
  private windowEndsMs = 0;

  constructor(private readonly limit: RateLimit) {}

  /** Counts a request. @throws Refused 429, which names the limit */
  take(key: string, nowMs: number): void {
    if (nowMs >= this.windowEndsMs) {
      this.counts = new Map();
      this.windowEndsMs = nowMs + this.limit.windowMs;
    }
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    const { code, name, of, what, most, windowMs } = this.limit;
    if (count <= most) return;
    const raise = bySetting(name, 'webhook-ingress');
    const limit = { name, of, value: most, window_seconds: windowMs / 1_000, raise };
    throw asRefused(limitReached(code, what, limit, (this.windowEndsMs - nowMs) / 1_000));
  }
}
