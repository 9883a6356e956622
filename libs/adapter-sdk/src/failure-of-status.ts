import { deliverFailure, type DeliverError, type DeliverFailure } from './delivery.js';
import { parseRetryAfter } from './retry-after.js';

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

/** The code for an HTTP status other than 2xx. */
export function deliverErrorOfStatus(status: number): DeliverError {
  return BY_STATUS[status] ?? (status >= 500 ? 'provider_unavailable' : redirectOrRequest(status));
}

/** The failure for an HTTP answer other than 2xx. Its body is not quoted, because it may echo what was sent. */
export function failureOfStatus(status: number, retryAfter: string | undefined, now = new Date()): DeliverFailure {
  const code = deliverErrorOfStatus(status);
  const seconds = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, now);
  return deliverFailure(code, `the receiving server answered ${status}`, {
    provider_status: status,
    ...(seconds !== undefined && { retry_after: seconds }),
  });
}

/** A signed request does not follow redirects: the configured address has to be corrected. */
function redirectOrRequest(status: number): DeliverError {
  return status >= 300 && status < 400 ? 'address_moved' : 'invalid_request';
}
