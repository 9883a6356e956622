import { BriefCache } from './brief-cache.js';

describe('BriefCache', () => {
  let reads = 0;
  const reading = (value: string | null) => async () => {
    reads += 1;
    return value;
  };
  beforeEach(() => {
    reads = 0;
  });

  it('reads once for all concurrent callers, and keeps the value', async () => {
    const cache = new BriefCache<string | null>(60_000, 10);
    expect(await Promise.all([cache.get('a', reading('x')), cache.get('a', reading('x'))])).toEqual(['x', 'x']);
    expect(await cache.get('a', reading('y'))).toBe('x');
    expect(reads).toBe(1);
  });

  it('reads again after the time is over', async () => {
    const cache = new BriefCache<string | null>(0, 10);
    await cache.get('a', reading('x'));
    expect(await cache.get('a', reading('y'))).toBe('y');
  });

  it('keeps neither a missing value nor a failure', async () => {
    const cache = new BriefCache<string | null>(60_000, 10);
    expect(await cache.get('a', reading(null))).toBeNull();
    await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.get('a', reading('x'))).toBe('x');
  });

  it('is bounded', async () => {
    const cache = new BriefCache<string | null>(60_000, 2);
    for (const id of ['a', 'b', 'c']) await cache.get(id, reading(id));
    expect(await cache.get('a', reading('again'))).toBe('again');
  });
});
