import { Problem, type ReachedLimit } from './problem.js';

/** @param where the service whose setting it is, and what else to know */
export const bySetting = (name: string, where: string): string => `An operator raises it with ${name} of the ${where}.`;

/**
 * A 429 that says which limit was reached, whose it is, when there is room again and how the limit is raised.
 * @param what was reached, without a full stop: `Too many invalid API keys from this address`
 */
export function limitReached(
  code: string,
  what: string,
  limit: ReachedLimit,
  retryAfterSeconds: number,
  headers: Record<string, string> = {},
): Problem {
  const seconds = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  const { value, window_seconds: window, raise } = limit;
  const most = `at most ${value} ${window === undefined ? 'at a time' : window === 1 ? 'a second' : `in ${window} s`}`;
  return new Problem(
    429,
    code,
    `${what} (${most}): try again in ${seconds} s. ${raise}`,
    [],
    {
      'retry-after': seconds,
      'ratelimit-limit': String(value),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
      ...headers,
    },
    limit,
  );
}
