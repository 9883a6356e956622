import { type DeliverFailure, deliverFailure } from '#libs/adapter-sdk';
import { RunLater } from '#libs/queue';
import { DeliveryRow } from '../../entities/delivery.entity.js';
import { AdapterError } from '../adapters/adapter-answer.js';
import { deliveryOutcome, inWords, type RetryLimits } from './delivery.verdict.js';

const hourMs = 3_600_000;
const limits: RetryLimits = {
  DELIVERY_RETRY_FOR_MS: 24 * hourMs,
  DELIVERY_RETRY_PAUSE_MAX_MS: hourMs / 4,
  DELIVERY_MAX_AGE_MS: 72 * hourMs,
};
const ago = (hours: number): Date => new Date(Date.now() - hours * hourMs);
const delivery = (
  tries: number,
  openHours = 0,
  failingHours: number | null = null,
  ttlSeconds: number | null = null,
): DeliveryRow =>
  Object.assign(new DeliveryRow(), {
    id: 'dlv_1',
    claim: tries,
    tries,
    from_part: 0,
    moved_to: null,
    reason: null,
    error_detail: null,
    content: { target: ttlSeconds === null ? {} : { ttl_seconds: ttlSeconds } },
    open_since: ago(openHours),
    blocked_since: failingHours === null ? null : ago(failingHours),
  });
const failure = (code: DeliverFailure['error'], retryAfter?: number): { result: DeliverFailure } => ({
  result: deliverFailure(code, 'away', {
    retryable: true,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  }),
});
const wait = (ms: number) => ({ error: new RunLater(ms, 'adapter_unready') });
const dueInMs = (row: DeliveryRow, attempt: Parameters<typeof deliveryOutcome>[1]): number => {
  const { state, due_in_ms: due } = deliveryOutcome(row, attempt, limits);
  expect(state).toBe('queued');
  return due ?? NaN;
};

describe('the next attempt at a delivery', () => {
  it.each([
    [1, 'provider_unavailable', 250, 500],
    [4, 'provider_unavailable', 2_000, 4_000],
    [1, 'rate_limited', 2_000, 4_000],
    [12, 'timeout', hourMs / 8, hourMs / 4],
    [500, 'provider_unavailable', hourMs / 8, hourMs / 4],
  ] as const)('after failure %i by %s comes after %i to %i ms', (tries, code, least, most) => {
    const due = dueInMs(delivery(tries), failure(code));
    expect(due).toBeGreaterThanOrEqual(least);
    expect(due).toBeLessThanOrEqual(most + 1);
    expect(deliveryOutcome(delivery(tries), failure(code), limits)).toMatchObject({
      claim: tries,
      tries,
      reason: code,
    });
  });

  it('after a bare 429 comes as late as after rate_limited, and the reason says so', () => {
    const error = new AdapterError('provider_unavailable', '/deliver answered 429', true, {
      answer: { status: 429, body: null, words: '' },
    });
    expect(dueInMs(delivery(1), { error })).toBeGreaterThanOrEqual(2_000);
    expect(deliveryOutcome(delivery(1), { error }, limits)).toMatchObject({ reason: 'rate_limited', tries: 1 });
  });

  it('is made when the time for retries is over, and none after that', () => {
    expect(dueInMs(delivery(90, 24, 23.99), failure('timeout'))).toBeLessThanOrEqual(0.01 * hourMs);
    expect(deliveryOutcome(delivery(90, 24, 24), failure('timeout'), limits)).toMatchObject({
      state: 'dead',
      reason: 'timeout',
      due_in_ms: null,
      error_detail: 'All attempts failed for 24 hours (DELIVERY_RETRY_FOR_MS). The last failure: away',
    });
  });

  it('is not nearer to its end after a long wait in which nobody was called', () => {
    expect(deliveryOutcome(delivery(1, 60), wait(500), limits)).toMatchObject({ due_in_ms: 500, tries: 0 });
    expect(deliveryOutcome(delivery(9, 60, 23), wait(500), limits)).toMatchObject({ blocked_since: expect.any(Date) });
    expect(deliveryOutcome(delivery(1, 60), failure('timeout'), limits)).toMatchObject({
      state: 'queued',
      blocked_since: expect.any(Date),
    });
    expect(deliveryOutcome(delivery(1, 72), wait(500), limits)).toMatchObject({
      state: 'dead',
      error_detail: expect.stringContaining('DELIVERY_MAX_AGE_MS'),
    });
  });

  it.each([
    ['comes when the provider asks for it', 0, 40 * 60, 40 * 60],
    ['comes later each time when the provider always asks for none', 10, 0, hourMs / 5 / 1_000],
    ['comes when the provider asks for it, though the time for retries ends before', 23, 2 * 3_600, 2 * 3_600],
    ['comes at the end where the provider asks for a later time', 0, Number.MAX_VALUE, 72 * 3_600],
  ])('%s', (_what, failingHours, asked, seconds) => {
    const attempt = failure('rate_limited', asked);
    expect(Math.round(dueInMs(delivery(1, 10, failingHours), attempt) / 1_000)).toBe(seconds);
    expect(deliveryOutcome(delivery(1, 10, failingHours), attempt, limits)).toMatchObject({ tries: 0 });
  });

  it('costs no try after a call on trial, and its pauses grow all the same', () => {
    const trial = { error: new AdapterError('timeout', 'away', true, { onTrial: true }) };
    expect(deliveryOutcome(delivery(4), trial, limits)).toMatchObject({ tries: 3, blocked_since: expect.any(Date) });
    expect(dueInMs(delivery(4), trial)).toBeGreaterThanOrEqual(2_000);
  });

  it('asks first where an answer was lost, whatever delays it now, and none is made when the time is over', () => {
    const inDoubt = (...of: Parameters<typeof delivery>) => Object.assign(delivery(...of), { reason: 'answer_lost' });
    expect(deliveryOutcome(inDoubt(2), wait(500), limits)).toMatchObject({ state: 'queued', reason: 'answer_lost' });
    expect(deliveryOutcome(inDoubt(2, 24, 24), failure('timeout'), limits)).toMatchObject({
      state: 'unknown',
      reason: 'answer_lost',
    });
    expect(deliveryOutcome(inDoubt(1, 1, 0, 60), wait(5), limits)).toMatchObject({ state: 'unknown' });
  });
});

describe('the next attempt at a reply that expires', () => {
  const tooLate = {
    state: 'expired',
    reason: 'too_late',
    due_in_ms: null,
    error_detail: expect.stringMatching(/^It was worth sending for 60 minutes \(reply_ttl_seconds/),
  };

  it('is made just before it expires when its pause is longer', () => {
    const due = dueInMs(delivery(20, 0.98, 0.98, 3_600), failure('timeout'));
    expect(due).toBeLessThan(0.02 * hourMs);
    expect(due).toBeGreaterThan(0.01 * hourMs);
  });

  it('is not made when it has expired, or will have when the provider wants it again', () => {
    expect(deliveryOutcome(delivery(1, 1, 0, 3_600), failure('timeout'), limits)).toMatchObject(tooLate);
    expect(deliveryOutcome(delivery(1, 1, 0, 3_600), wait(5), limits)).toMatchObject(tooLate);
    expect(deliveryOutcome(delivery(1, 0, 0, 3_600), failure('rate_limited', 7_200), limits)).toMatchObject(tooLate);
  });

  it('ends a wait when it expires, not sooner: what it waits for may come', () => {
    const due = dueInMs(delivery(1, 0.5, null, 3_600), wait(hourMs));
    expect(due).toBeGreaterThan(0.49 * hourMs);
    expect(due).toBeLessThanOrEqual(0.5 * hourMs);
  });
});

it('a duration is written in the largest unit of which it is a whole number above one', () => {
  expect([86_400_000, 259_200_000, 90_000, 120_000, 1_000].map(inWords)).toEqual([
    '24 hours',
    '3 days',
    '90 seconds',
    '2 minutes',
    '1 second',
  ]);
});
