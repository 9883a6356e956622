const maxMs = 3_600_000;

/** `Retry-After` (RFC 9110) in ms: seconds or an HTTP date; null when absent or unreadable. Capped at an hour. */
export function readRetryAfter(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxMs);
}
