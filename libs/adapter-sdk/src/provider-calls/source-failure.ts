import type { DeliverError, DeliverFailure } from '../delivery.js';
import type { SourceFailure } from '../document-sources.js';

const BY_ERROR: Partial<Record<DeliverError, SourceFailure['error']>> = {
  auth_failed: 'auth_failed',
  permission_denied: 'permission_denied',
  not_found: 'not_found',
  rate_limited: 'rate_limited',
  // Gmail answers invalidArgument, and Telegram a bad request, for what does not exist.
  invalid_request: 'not_found',
  too_large: 'too_large',
};

/** A failed call as a source failure. A read may be repeated, so a lost answer counts as an unavailable provider. */
export function sourceFailure({ error, error_detail }: DeliverFailure): SourceFailure {
  return {
    ok: false,
    error: BY_ERROR[error] ?? 'provider_unavailable',
    ...(error_detail && { message: error_detail.message }),
    ...(error_detail?.retry_after !== undefined && { retry_after: error_detail.retry_after }),
  };
}
