import {
  type DeliverError,
  type DeliverFailure,
  deliverFailure,
  headerValue,
  MAX_RETRY_AFTER_SECONDS,
  parseRetryAfter,
  type ProviderAnswer,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';

const BY_STATUS: Record<number, DeliverError> = {
  301: 'address_moved',
  302: 'address_moved',
  307: 'address_moved',
  308: 'address_moved',
  401: 'auth_failed',
  403: 'permission_denied',
  // Also the answer for a repository that the token may not see.
  404: 'not_found',
  410: 'not_found',
  413: 'too_large',
  429: 'rate_limited',
  451: 'permission_denied',
};

/** GitHub's advice for a secondary limit that names no time. */
const DEFAULT_RETRY_AFTER_SECONDS = 60;

/**
 * The failure for an answer other than 2xx. Both rate limits come as 403 or 429: the primary with
 * `x-ratelimit-remaining: 0`, the secondary with `Retry-After` or recognisable by its message.
 * Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
export function failureOfGithubAnswer(answer: ProviderAnswer, now: Date): DeliverFailure {
  const { status } = answer;
  const message = textOf(objectOf(answer.json).message);
  const detail = { provider_status: status, ...(message !== undefined && { provider_code: message.slice(0, 100) }) };
  const wait = waitOf(answer, now);
  const isLimit = status === 429 || (status === 403 && (wait !== undefined || /rate limit|abuse/i.test(message ?? '')));
  if (isLimit) {
    return deliverFailure('rate_limited', 'GitHub limits the rate of calls', {
      ...detail,
      retry_after: wait ?? DEFAULT_RETRY_AFTER_SECONDS,
    });
  }
  const error = errorOf(status, JSON.stringify(answer.json ?? ''));
  return deliverFailure(error, `GitHub answered ${status}`, {
    ...detail,
    ...(error === 'provider_unavailable' && wait !== undefined && { retry_after: wait }),
  });
}

function errorOf(status: number, body: string): DeliverError {
  if (status === 422 && /too long|too_long/i.test(body)) return 'too_large';
  return BY_STATUS[status] ?? (status >= 500 ? 'provider_unavailable' : 'invalid_request');
}

/** Seconds until the next call is allowed; undefined when the answer does not say. */
function waitOf({ headers }: ProviderAnswer, now: Date): number | undefined {
  const retryAfter = headerValue(headers, 'retry-after');
  if (retryAfter !== undefined) return parseRetryAfter(retryAfter, now);
  if (headerValue(headers, 'x-ratelimit-remaining') !== '0') return undefined;
  const reset = Number(headerValue(headers, 'x-ratelimit-reset')) - now.getTime() / 1000;
  return Number.isNaN(reset) ? undefined : Math.min(Math.max(Math.ceil(reset), 1), MAX_RETRY_AFTER_SECONDS);
}
