export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * The wait before the next attempt, in ms: exponential with jitter, so that jobs stopped by one outage do not all come
 * back together. Uniform in ((1 - jitter) · most, most], where most is min(capMs, baseMs · 2^attempts).
 * @param attempts made so far; each doubles the wait
 * @param jitter 1 spreads over the whole wait (full jitter), 0 not at all
 * @param random in [0, 1)
 */
export function backoffMs({ baseMs, capMs }: Backoff, attempts: number, jitter = 1, random = Math.random()): number {
  const most = Math.min(capMs, baseMs * 2 ** attempts);
  return Math.ceil(most * (1 - jitter * random));
}
