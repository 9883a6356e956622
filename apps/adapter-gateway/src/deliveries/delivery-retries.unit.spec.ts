import type { DeliveryRow } from '../entities/delivery.entity.js';
import { nextAttempt, type RetryLimits } from './delivery-retries.js';
import { inWords } from './in-words.js';

const hourMs = 3_600_000;
const limits: RetryLimits = {
  DELIVERY_RETRY_FOR_MS: 24 * hourMs,
  DELIVERY_RETRY_PAUSE_MAX_MS: hourMs / 4,
  DELIVERY_MAX_AGE_MS: 72 * hourMs,
};
const ago = (hours: number): Date => new Date(Date.now() - hours * hourMs);
const delivery = (
  attempts: number,
  openHours = 0,
  failingHours: number | null = null,
  ttlSeconds: number | null = null,
): DeliveryRow =>
  ({
    attempts,
    from_part: 0,
    content: { target: ttlSeconds === null ? {} : { ttl_seconds: ttlSeconds } },
    open_since: ago(openHours),
    failing_since: failingHours === null ? null : ago(failingHours),
  }) as DeliveryRow;
const failed = { counts: true, askedMs: null };

describe('the next attempt at a delivery', () => {
  it.each([
    [1, 'provider_unavailable', 250, 500],
    [4, 'provider_unavailable', 2_000, 4_000],
    [1, 'rate_limited', 2_000, 4_000],
    [12, 'timeout', hourMs / 8, hourMs / 4],
    [500, 'provider_unavailable', hourMs / 8, hourMs / 4],
  ])('after failure %i by %s comes after %i to %i ms', (attempts, code, least, most) => {
    const next = nextAttempt(delivery(attempts), code, failed, limits);
    expect('waitMs' in next && next.waitMs).toBeGreaterThanOrEqual(least);
    expect('waitMs' in next && next.waitMs).toBeLessThanOrEqual(most + 1);
  });

  it('is made when the time for retries is over, and none after that', () => {
    const last = nextAttempt(delivery(90, 24, 23.99), 'timeout', failed, limits);
    expect('waitMs' in last && last.waitMs).toBeLessThanOrEqual(0.01 * hourMs);
    expect(nextAttempt(delivery(90, 24, 24), 'timeout', failed, limits)).toEqual({
      givenUp: 'All attempts failed for 24 hours (DELIVERY_RETRY_FOR_MS).',
    });
  });

  it('is not nearer to its end after a long wait in which nobody was called', () => {
    expect(nextAttempt(delivery(0, 60), 'adapter_unready', { waitMs: 500 }, limits)).toMatchObject({ waitMs: 500 });
    expect(nextAttempt(delivery(1, 60), 'timeout', failed, limits)).toMatchObject({ failingSince: expect.any(Date) });
    expect(nextAttempt(delivery(1, 72), 'adapter_unready', { waitMs: 500 }, limits)).toMatchObject({
      givenUp: expect.stringContaining('DELIVERY_MAX_AGE_MS'),
    });
  });

  it.each([
    ['is when the provider asks for it', 0, 40 * 60_000, 40 * 60_000],
    ['comes later each time when the provider always asks for none', 10, 0, hourMs / 5],
    ['is never beyond the end', 0, Number.MAX_VALUE, 72 * hourMs],
  ])('%s', (_what, failingHours, askedMs, waitMs) => {
    const next = nextAttempt(delivery(1, 10, failingHours), 'rate_limited', { counts: false, askedMs }, limits);
    expect('waitMs' in next && Math.round(next.waitMs / 1_000)).toBe(waitMs / 1_000);
  });
});

describe('the next attempt at a reply that expires', () => {
  const tooLate = { tooLate: expect.stringMatching(/^It was worth sending for 60 minutes \(reply_ttl_seconds/) };

  it('is made just before it expires when its pause is longer', () => {
    const next = nextAttempt(delivery(20, 0.98, 0.98, 3_600), 'timeout', failed, limits);
    expect('waitMs' in next && next.waitMs).toBeLessThan(0.02 * hourMs);
    expect('waitMs' in next && next.waitMs).toBeGreaterThan(0.01 * hourMs);
  });

  it('is none when it has expired, or will have when the provider wants it again', () => {
    expect(nextAttempt(delivery(1, 1, 0, 3_600), 'timeout', failed, limits)).toEqual(tooLate);
    expect(nextAttempt(delivery(1, 1, 0, 3_600), 'adapter_unready', { waitMs: 5 }, limits)).toEqual(tooLate);
    const asked = { counts: false, askedMs: 2 * hourMs };
    expect(nextAttempt(delivery(1, 0, 0, 3_600), 'rate_limited', asked, limits)).toEqual(tooLate);
  });

  it('ends a wait when it expires, not sooner: what it waits for may come', () => {
    const next = nextAttempt(delivery(1, 0.5, null, 3_600), 'adapter_unready', { waitMs: hourMs }, limits);
    expect('waitMs' in next && next.waitMs).toBeGreaterThan(0.49 * hourMs);
    expect('waitMs' in next && next.waitMs).toBeLessThanOrEqual(0.5 * hourMs);
  });
});

it('tells durations in the unit that fits', () => {
  expect([86_400_000, 259_200_000, 90_000, 120_000, 1_000].map(inWords)).toEqual([
    '24 hours',
    '3 days',
    '90 seconds',
    '2 minutes',
    '1 second',
  ]);
});
