import {
  deliverFailure,
  headerValue,
  MAX_RETRY_AFTER_SECONDS,
  parseRetryAfter,
  type DeliverError,
  type DeliverFailure,
  type ProviderAnswer,
} from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../provider-calls/json-fields.js';

const BY_STATUS: Record<number, DeliverError> = {
  401: 'auth_failed',
  403: 'permission_denied',
  404: 'not_found',
  413: 'too_large',
  429: 'rate_limited',
  451: 'permission_denied',
};

/** The failure of an answer other than 2xx. SendGrid's message is not passed on, only the field that it names. */
export function sendgridFailure(answer: ProviderAnswer, now: Date): DeliverFailure {
  const { status } = answer;
  const code = BY_STATUS[status] ?? (status >= 500 ? 'provider_unavailable' : 'invalid_request');
  const field = textOf(objectsOf(objectOf(answer.json).errors)[0]?.field);
  const wait = waitOf(answer, now);
  return deliverFailure(code, `SendGrid answered ${status}`, {
    provider_status: status,
    ...(field !== undefined && /^[\w.[\]-]{1,100}$/.test(field) && { provider_code: field }),
    ...(wait !== undefined && { retry_after: wait }),
  });
}

/** Seconds. SendGrid names the end of its window, in Unix seconds. */
function waitOf(answer: ProviderAnswer, now: Date): number | undefined {
  const retryAfter = headerValue(answer.headers, 'retry-after');
  if (retryAfter !== undefined) return parseRetryAfter(retryAfter, now);
  const reset = headerValue(answer.headers, 'x-ratelimit-reset');
  if (answer.status !== 429 || reset === undefined || !/^\d{9,11}$/.test(reset)) return undefined;
  return Math.min(Math.max(Math.ceil(Number(reset) - now.getTime() / 1000), 0), MAX_RETRY_AFTER_SECONDS);
}
