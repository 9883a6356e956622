import type { DeliverError, DeliverFailure, SourceFailure } from '#libs/adapter-sdk';

const ERRORS: Partial<Record<DeliverError, SourceFailure['error']>> = {
  auth_failed: 'auth_failed',
  permission_denied: 'permission_denied',
  not_found: 'not_found',
  // The repository was renamed: its documents are gone from here.
  address_moved: 'not_found',
  too_large: 'too_large',
  rate_limited: 'rate_limited',
};

/** The failure of a source for a call that GitHub refused or did not answer. */
export function sourceFailure(failure: DeliverFailure): SourceFailure {
  const { error, error_detail } = failure;
  if (isTooLarge(failure)) return { ok: false, error: 'too_large', message: 'the answer is too large' };
  const message = error_detail?.provider_code ?? error_detail?.message;
  return {
    ok: false,
    error: ERRORS[error] ?? 'provider_unavailable',
    ...(message !== undefined && { message }),
    ...(error_detail?.retry_after !== undefined && { retry_after: error_detail.retry_after }),
  };
}

/** Whether the answer itself was too large to be read. */
export function isTooLarge({ error_detail }: DeliverFailure): boolean {
  return error_detail?.provider_code === 'response_too_large';
}
