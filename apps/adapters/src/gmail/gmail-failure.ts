import {
  type DeliverError,
  deliverFailure,
  type DeliverFailure,
  headerValue,
  parseRetryAfter,
  type ProviderAnswer,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

/** Source: Gmail API, "Resolve errors". A 403 may be a rate limit as well as a missing permission. */
const BY_REASON: Record<string, DeliverError> = {
  authError: 'auth_failed',
  rateLimitExceeded: 'rate_limited',
  userRateLimitExceeded: 'rate_limited',
  dailyLimitExceeded: 'rate_limited',
  quotaExceeded: 'rate_limited',
  backendError: 'provider_unavailable',
  failedPrecondition: 'permission_denied',
  domainPolicy: 'permission_denied',
  delegationDenied: 'permission_denied',
  insufficientPermissions: 'permission_denied',
  uploadTooLarge: 'too_large',
};

const BY_STATUS: Record<number, DeliverError> = {
  401: 'auth_failed',
  403: 'permission_denied',
  404: 'not_found',
  408: 'provider_unavailable',
  413: 'too_large',
  429: 'rate_limited',
};

/** The failure of an answer other than 2xx. Google's message is not passed on: it may repeat what was sent. */
export function gmailFailure(answer: ProviderAnswer, now: Date): DeliverFailure {
  const { status } = answer;
  const error = objectOf(objectOf(answer.json).error);
  const reason = textOf(objectsOf(error.errors)[0]?.reason) ?? textOf(error.status);
  const code =
    (reason === undefined ? undefined : BY_REASON[reason]) ??
    BY_STATUS[status] ??
    (status >= 500 ? 'provider_unavailable' : 'invalid_request');
  const wait = waitOf(answer, textOf(error.message), now);
  return deliverFailure(code, `Gmail answered ${status}`, {
    provider_status: status,
    ...(reason !== undefined && /^\w{1,64}$/.test(reason) && { provider_code: reason }),
    ...(wait !== undefined && { retry_after: wait }),
  });
}

/** Seconds, from the header or from the sentence in which Gmail says when the user may send again. */
function waitOf(answer: ProviderAnswer, message: string | undefined, now: Date): number | undefined {
  const header = headerValue(answer.headers, 'retry-after');
  const instructed = /\bRetry after (\d{4}-\d\d-\d\dT[\d:.]+Z)/.exec(message?.slice(0, 500) ?? '')?.[1];
  const text = header ?? instructed;
  return text === undefined ? undefined : parseRetryAfter(text, now);
}
