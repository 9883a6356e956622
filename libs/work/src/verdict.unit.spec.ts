import { PermanentFailure, RunLater } from '#libs/queue';
import { type Policy, settlementOf, type Verdict, verdictOf } from './verdict.js';

const policy: Policy = {
  tries: 3,
  backoff: { baseMs: 1_000, capMs: 60_000 },
  jitter: 0,
  ageMs: 10_000,
  failuresAge: true,
};
const nowMs = 1_000_000;
const at = (ms: number): Date => new Date(nowMs + ms);
const settle = (row: { tries?: number; blocked_since?: Date | null }, verdict: Verdict, other: Partial<Policy> = {}) =>
  settlementOf('a', { claim: 7, tries: 1, blocked_since: null, ...row }, verdict, { ...policy, ...other }, nowMs);
const retry = { do: 'retry', code: 'timeout' } as const;
const later = { do: 'later', ms: 500, code: 'busy', ages: true } as const;
const wait = { do: 'later', ms: 500, code: 'circuit_open', ages: false } as const;

describe('the verdict on an error', () => {
  const withFields = (fields: object): Error => Object.assign(new Error('no'), { code: 'http_503' }, fields);

  it.each([
    [
      'a wait, for which nobody was asked',
      new RunLater(300, 'paused'),
      { do: 'later', ms: 300, code: 'paused', ages: false },
    ],
    ['a permanent failure', new PermanentFailure('gone', 'it is gone'), { do: 'dead', code: 'gone' }],
    ['data that no attempt can process', withFields({ code: '22P02' }), { do: 'dead', code: 'not_processable' }],
    ['a call that was refused for good', withFields({ permanent: true }), { do: 'dead', code: 'http_503' }],
    ['a call with Retry-After', withFields({ retryAfterMs: 0 }), { do: 'later', ms: 0, code: 'http_503', ages: true }],
    ['any other call', withFields({ permanent: false, retryAfterMs: null }), { do: 'retry', code: 'http_503' }],
    ['an error without a code', new Error('no'), { do: 'retry', code: 'internal_error' }],
    ['no error at all', 'no', { do: 'retry', code: 'internal_error' }],
  ])('of %s', (_what, error, verdict) => {
    expect(verdictOf(error)).toEqual(verdict);
  });
});

describe('what becomes of a row', () => {
  it('ends as the verdict says', () => {
    expect(settle({}, { do: 'done' })).toMatchObject({
      key: 'a',
      claim: 7,
      state: 'done',
      due_in_ms: null,
      reason: null,
    });
    expect(settle({}, { do: 'dead', code: 'gone' })).toMatchObject({ state: 'dead', reason: 'gone', spent: null });
    expect(settle({}, { do: 'unknown', code: 'lost' })).toMatchObject({ state: 'unknown', reason: 'lost' });
  });

  it('is retried after a pause that doubles, until its tries are used up', () => {
    expect(settle({ tries: 1 }, retry)).toMatchObject({
      state: 'queued',
      tries: 1,
      due_in_ms: 2_000,
      reason: 'timeout',
    });
    expect(settle({ tries: 2 }, retry)).toMatchObject({ state: 'queued', tries: 2, due_in_ms: 4_000 });
    expect(settle({ tries: 3 }, retry)).toMatchObject({ state: 'dead', tries: 3, spent: 'tries', reason: 'timeout' });
  });

  it('gets its try back when it has to wait, however often', () => {
    expect(settle({ tries: 3 }, wait)).toMatchObject({ state: 'queued', tries: 2, due_in_ms: 500, spent: null });
    expect(settle({ tries: 3 }, later)).toMatchObject({ state: 'queued', tries: 2, due_in_ms: 500 });
    expect(settle({ tries: 0 }, wait)).toMatchObject({ tries: 0 });
  });

  it('is given up when it is too old, and tried once more at that moment', () => {
    expect(settle({}, retry)).toMatchObject({ blocked_since: at(0) });
    expect(settle({ blocked_since: at(-9_000) }, retry)).toMatchObject({ due_in_ms: 1_000, blocked_since: at(-9_000) });
    expect(settle({ blocked_since: at(-9_800) }, later)).toMatchObject({ due_in_ms: 200 });
    for (const verdict of [retry, later]) {
      expect(settle({ blocked_since: at(-10_000) }, verdict)).toMatchObject({
        state: 'dead',
        due_in_ms: null,
        spent: 'age',
      });
    }
    expect(settle({ blocked_since: at(-10_000) }, retry, { ageMs: null })).toMatchObject({ state: 'queued' });
  });

  it('does not age by a wait for which nobody was asked', () => {
    expect(settle({ blocked_since: at(-60_000) }, wait)).toMatchObject({ state: 'queued', blocked_since: at(-60_000) });
    expect(settle({}, wait)).toMatchObject({ blocked_since: null });
  });

  it('ages by waits alone, where a failure shows that what it waited for is back', () => {
    const waitsAge = { failuresAge: false };
    expect(settle({ blocked_since: at(-60_000) }, retry, waitsAge)).toMatchObject({
      state: 'queued',
      blocked_since: null,
    });
    expect(settle({ blocked_since: at(-60_000) }, later, waitsAge)).toMatchObject({ state: 'dead', spent: 'age' });
  });
});
