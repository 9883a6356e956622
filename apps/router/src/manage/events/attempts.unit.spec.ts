import type { TimelineEntry } from '#libs/journal';
import { attemptsOf } from './attempts.js';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const entry = (afterMs: number, attempt: number, over: Partial<TimelineEntry> = {}): TimelineEntry => ({
  at: new Date(startMs + afterMs),
  service: 'adapter-gateway',
  stage: 'delivery',
  outcome: 'retrying',
  terminal: false,
  reason: 'provider_error',
  subject_id: 'dlv_1',
  attempt,
  duration_ms: 0,
  detail: { error: 'the receiver answered 500' },
  ...over,
});
const delivered = { outcome: 'delivered', reason: null, detail: null };
const linesOf = (...entries: TimelineEntry[]) => attemptsOf(entries).map(({ text }) => text);

describe('the attempts of an event', () => {
  it('that failed alike are one line, with their number and the time they took', () => {
    const failed = Array.from({ length: 12 }, (_, index) => entry((index * 80_000) / 11, index + 1));
    expect(linesOf(...failed, entry(90_000, 13, delivered))).toEqual(['12 × 500 in 80 s', 'delivered']);
  });

  it('of which the journal left some out are counted by their numbers', () => {
    const attempts = attemptsOf([entry(0, 1), entry(10_000, 4), entry(600_000, 16), entry(700_000, 21, delivered)]);
    expect(attempts.map(({ count, attempt }) => [count, attempt])).toEqual([
      [20, 1],
      [1, 21],
    ]);
  });

  it('that failed in another way are a line of their own', () => {
    const limited = { reason: 'rate_limited', detail: { error: 'the receiver answered 429' } };
    expect(linesOf(entry(0, 1), entry(1_000, 2, limited), entry(4_000, 3))).toEqual(['500', '429', '500']);
  });

  it('of two deliveries are apart, and what only reports progress is none', () => {
    const other = { subject_id: 'dlv_2' };
    const entries = [entry(0, 1), entry(1, 1, other), entry(2, 2), entry(3, 2, { ...other, outcome: 'running' })];
    expect(attemptsOf(entries).map(({ subject_id, count }) => [subject_id, count])).toEqual([
      ['dlv_1', 2],
      ['dlv_2', 1],
    ]);
  });
});
