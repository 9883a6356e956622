import type { TimelineEntry } from '#libs/journal';
import { withWaits } from './waits.js';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const entry = (afterMs: number, over: Partial<TimelineEntry>): TimelineEntry & { app_id: string } => ({
  app_id: 'app_1',
  at: new Date(startMs + afterMs),
  service: 'engine',
  stage: 'turn',
  outcome: 'running',
  terminal: false,
  reason: null,
  subject_id: 'trn_1',
  attempt: 1,
  duration_ms: null,
  detail: null,
  ...over,
});
const waitsOf = (...entries: (TimelineEntry & { app_id: string })[]) =>
  withWaits(entries).map(({ waited_ms: ms, waited_for: what }) => [ms, what]);

describe('the waits of an event', () => {
  it('are named by what was waited for', () => {
    const received = entry(0, { stage: 'received', subject_id: null, outcome: 'accepted' });
    const routed = entry(50, { stage: 'routed', subject_id: 'msg_1', outcome: 'routed', duration_ms: 30 });
    const held = entry(60, { outcome: 'held', reason: 'session_busy' });
    const ended = entry(74_560, { outcome: 'succeeded', duration_ms: 500 });
    expect(waitsOf(received, routed, held, ended)).toEqual([
      [null, null],
      [20, 'in the queue'],
      [null, null],
      [74_000, 'behind another message of this conversation'],
    ]);
  });

  it.each([
    ['held', 'model_unavailable', 'for the model (model_unavailable)'],
    ['held', 'waiting_approval', 'for a decision of a person'],
    ['retrying', 'rate_limited', 'for the rate limit of the provider'],
    ['retrying', 'needs_reconnect', 'for its credential to be connected again'],
    ['retrying', 'odd_code', 'to be tried again (odd_code)'],
    ['retrying', null, 'to be tried again'],
  ])('after %s of %s are named: %s', (outcome, reason, words) => {
    const entries = [entry(0, { outcome, reason }), entry(3_000, { outcome: 'running' })];
    expect(waitsOf(...entries)[1]).toEqual([3_000, words]);
  });

  it('are of their own turn, whatever another turn did meanwhile', () => {
    const other = entry(900, { subject_id: 'trn_2', outcome: 'succeeded', duration_ms: 100 });
    const entries = [
      entry(0, { outcome: 'held', reason: 'session_busy' }),
      other,
      entry(1_000, { outcome: 'running' }),
    ];
    expect(waitsOf(...entries)[2]).toEqual([1_000, 'behind another message of this conversation']);
  });

  it('end where the turn began, not where a call of it did that it reports meanwhile', () => {
    const routed = entry(50, { stage: 'routed', subject_id: 'msg_1', outcome: 'routed', duration_ms: 30 });
    const called = entry(1_400, { duration_ms: 2 });
    const ended = entry(1_500, { outcome: 'succeeded', duration_ms: 1_350 });
    expect(waitsOf(routed, called, ended)).toEqual([
      [null, null],
      [null, null],
      [100, 'in the queue'],
    ]);
  });
});
