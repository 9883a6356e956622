import { sourceFailure } from './source-error.js';

describe('the wait that a source asks for', () => {
  const wait = (retry_after: unknown) =>
    sourceFailure({ ok: false, error: 'rate_limited', retry_after }, '/sources/list-changes').retryAfterMs;

  it('is kept, also one of hours', () => {
    expect([wait(7), wait(0.5), wait(7_200)]).toEqual([7_000, 500, 7_200_000]);
  });

  it('is at most a day; what is no wait is none', () => {
    expect([wait(1e9), wait(0), wait(-1), wait('60'), wait(undefined)]).toEqual([86_400_000, null, null, null, null]);
  });
});
