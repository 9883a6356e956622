import { parseRetryAfter } from './retry-after.js';

describe('Retry-After', () => {
  const now = new Date('2026-11-21T00:00:00Z');
  it('is read as seconds or as a date, never negative, at most a day', () => {
    expect(parseRetryAfter('120', now)).toBe(120);
    expect(parseRetryAfter('Sat, 21 Nov 2026 00:01:00 GMT', now)).toBe(60);
    expect(parseRetryAfter('Fri, 20 Nov 2026 00:00:00 GMT', now)).toBe(0);
    expect(parseRetryAfter('999999999', now)).toBe(86_400);
    expect(parseRetryAfter('soon', now)).toBeUndefined();
  });
});
