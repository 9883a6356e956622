import { setTimeout as pause } from 'node:timers/promises';
import { headerValue } from '../header-lookup.js';
import { parseRetryAfter } from '../retry-after.js';
import { type FetchedAnswer, type FetchRequest, isLostCall, type ProviderHttp } from './provider-http.js';

const DEFAULT_RETRIES = 1;
const FIRST_WAIT_MS = 200;
/** With less than this left, another attempt would only be cut off. */
const LEAST_MS = 50;
const BUSY = new Set([429, 502, 503, 504]);
/** Another attempt would fail in the same way. */
const FINAL = /^(?:blocked|invalid|too_many|response_too_large)/;

/**
 * One request, sent once more where that can do no harm and may help: a call that reached nobody always, a read also
 * after a lost answer and after 429, 502, 503 and 504. Waits longer than the time that is left are for the caller.
 * @throws what the last attempt threw
 */
export async function repeatedCall(
  { fetch, timeoutMs, retries = DEFAULT_RETRIES }: ProviderHttp,
  url: string,
  request: FetchRequest,
  repeatable: boolean,
): Promise<FetchedAnswer> {
  const until = Date.now() + timeoutMs;
  for (let left = retries; ; left -= 1) {
    const wait = FIRST_WAIT_MS * 2 ** (retries - left) * (0.5 + Math.random());
    const allows = (ms: number): boolean => left > 0 && Date.now() + ms + LEAST_MS < until;
    let pauseMs = wait;
    try {
      const answer = await fetch(url, { ...request, timeoutMs: Math.max(1, until - Date.now()) });
      pauseMs = repeatable && BUSY.has(answer.status) ? waitOf(answer, wait) : Number.POSITIVE_INFINITY;
      if (!allows(pauseMs)) return answer;
    } catch (error) {
      const isHarmless = isLostCall(error) && (repeatable || !error.sent) && !FINAL.test(error.code);
      if (!isHarmless || !allows(wait)) throw error;
    }
    await pause(pauseMs);
  }
}

/** A limit of the rate that names no time is not tried again at once. */
function waitOf({ status, headers }: FetchedAnswer, wait: number): number {
  const asked = headerValue(headers, 'retry-after');
  const seconds = asked === undefined ? undefined : parseRetryAfter(asked, new Date());
  if (seconds === undefined) return status === 429 ? Number.POSITIVE_INFINITY : wait;
  return Math.max(seconds * 1_000, wait);
}
