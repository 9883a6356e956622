import { Backoff } from './backoff.js';

const times = { healthyMs: 1_000, firstMs: 10_000, mostMs: 35_000 };

/** The wait after each of these lifetimes, in seconds. */
function waits(lives: number[]): number[] {
  const backoff = new Backoff(times);
  return lives.map((livedMs) => {
    backoff.ended(livedMs);
    return Math.round(backoff.waitMs / 1_000);
  });
}

describe('the wait before a server is restarted', () => {
  it('begins with its second early exit, doubles, and has a maximum', () => {
    expect(waits([0, 999, 5, 0, 0])).toEqual([0, 10, 20, 35, 35]);
  });

  it('starts again after a process that lived long enough', () => {
    expect(waits([0, 1_000, 0])).toEqual([0, 0, 0]);
  });

  it('does not overflow', () => {
    expect(waits(Array.from({ length: 2_000 }, () => 0)).at(-1)).toBe(35);
  });
});
