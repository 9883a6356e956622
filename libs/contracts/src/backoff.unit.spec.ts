import { backoffMs } from './backoff.js';

const backoff = { baseMs: 100, capMs: 1_000 };

describe('backoffMs', () => {
  it('doubles with each attempt up to the cap, however many there were', () => {
    expect([0, 1, 2, 3, 4, 5_000].map((attempts) => backoffMs(backoff, attempts, 0))).toEqual([
      100, 200, 400, 800, 1_000, 1_000,
    ]);
  });

  it('spreads over the requested part of the wait, and never waits longer', () => {
    expect([0, 0.5, 0.999].map((random) => backoffMs(backoff, 2, 1, random))).toEqual([400, 200, 1]);
    expect([0, 0.5, 0.999].map((random) => backoffMs(backoff, 2, 0.5, random))).toEqual([400, 300, 201]);
  });
});
