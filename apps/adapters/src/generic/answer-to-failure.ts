import { deliverFailure, type DeliverError, type DeliverFailure } from '#libs/adapter-sdk';
import { EgressError, type EgressErrorCode } from '#libs/egress';

const BY_STATUS: Record<number, DeliverError> = {
  401: 'auth_failed',
  403: 'permission_denied',
  404: 'not_found',
  408: 'timeout',
  410: 'address_moved',
  413: 'too_large',
  415: 'invalid_format',
  425: 'rate_limited',
  429: 'rate_limited',
};

/** Longest wait that a receiver may ask for: one day, in seconds. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** The failure that an HTTP answer other than 2xx stands for. Its body is not quoted: it may echo what was sent. */
export function failureOfStatus(status: number, retryAfter: string | undefined, now = new Date()): DeliverFailure {
  const code = BY_STATUS[status] ?? (status >= 500 ? 'provider_unavailable' : redirectOrRequest(status));
  const seconds = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, now);
  return deliverFailure(code, `the receiving server answered ${status}`, {
    provider_status: status,
    ...(seconds !== undefined && { retry_after: seconds }),
  });
}

/** A signed request is not carried on to where a redirect points; its address has to be set anew. */
function redirectOrRequest(status: number): DeliverError {
  return status >= 300 && status < 400 ? 'address_moved' : 'invalid_request';
}

/** `Retry-After` (RFC 9110 10.2.3) in seconds, from either of its forms; undefined when it is neither. */
export function parseRetryAfter(text: string, now: Date): number | undefined {
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), MAX_RETRY_AFTER_SECONDS);
}

const REFUSED_ADDRESS: readonly EgressErrorCode[] = [
  'invalid_url',
  'invalid_request',
  'blocked_scheme',
  'blocked_address',
  'blocked_redirect',
];

/**
 * The failure of a call that gave no answer. One that a server may have seen is `timeout`, which is not retryable by
 * itself: the message may have arrived.
 */
export function failureOfCall(error: EgressError): DeliverFailure {
  if (REFUSED_ADDRESS.includes(error.code)) {
    return deliverFailure('invalid_request', `channel_address cannot be reached from here: ${error.code}`);
  }
  if (error.code === 'timeout') return deliverFailure('timeout', 'no answer in time', { retryable: !error.sent });
  return error.sent
    ? deliverFailure('timeout', `the connection ended before the answer: ${error.code}`)
    : deliverFailure('provider_unavailable', `the receiving server cannot be reached: ${error.code}`);
}
