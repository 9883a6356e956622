/** Longest wait that a provider may request: one day, in seconds. */
export const MAX_RETRY_AFTER_SECONDS = 86_400;

/** `Retry-After` (RFC 9110 10.2.3) in seconds, from either of its forms; undefined when it is neither. */
export function parseRetryAfter(text: string, now: Date): number | undefined {
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), MAX_RETRY_AFTER_SECONDS);
}
