import { Refused } from './refused.js';

/**
 * A ceiling against abuse: requests per window and key, counted in this replica. In memory on purpose: a limiter in a
 * store would delay every answer, and would have to let requests through while the store is down.
 */
export class RateLimiter {
  private counts = new Map<string, number>();
  private windowEndsMs = 0;

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  /** Counts a request. @throws Refused 429 with `Retry-After` and `RateLimit-*` */
  take(key: string, nowMs: number): void {
    if (nowMs >= this.windowEndsMs) {
      this.counts = new Map();
      this.windowEndsMs = nowMs + this.windowMs;
    }
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (count <= this.limit) return;
    const seconds = String(Math.max(1, Math.ceil((this.windowEndsMs - nowMs) / 1000)));
    throw new Refused(429, 'rate_limited', 'Too many requests: send again later.', {
      'retry-after': seconds,
      'ratelimit-limit': String(this.limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    });
  }
}
