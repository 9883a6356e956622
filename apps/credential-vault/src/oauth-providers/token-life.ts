/** No life is longer, so that no time leaves the range of dates. */
export const longestLifeSeconds = 10 * 365 * 86_400;
const names = ['expires_in', 'expires', 'expires_at'];

/**
 * Seconds that an access token lives, from any of the forms in which providers say it: a number or its text, a moment
 * in seconds or milliseconds, a date. Null when the answer does not say so, or says what cannot be: zero, a negative
 * number, a moment that is over.
 */
export function lifeOf(fields: Readonly<Record<string, unknown>>, nowMs = Date.now()): number | null {
  for (const name of names) {
    const life = secondsOf(fields[name], nowMs);
    if (life !== null) return life;
  }
  return null;
}

/** @returns null for anything but a positive number of seconds, or a later moment */
export function secondsOf(value: unknown, nowMs = Date.now()): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const text = String(value).trim();
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number)) return /^\d{4}-\d\d-\d\dT/.test(text) ? until(Date.parse(text), nowMs) : null;
  if (number <= 0) return null;
  if (number <= longestLifeSeconds) return number;
  // So much is a moment, in milliseconds or seconds. If it is not a later one, it only says "very long".
  return until(number, nowMs) ?? until(number * 1_000, nowMs) ?? longestLifeSeconds;
}

function until(momentMs: number, nowMs: number): number | null {
  const seconds = (momentMs - nowMs) / 1_000;
  return seconds > 0 && seconds <= longestLifeSeconds ? seconds : null;
}
