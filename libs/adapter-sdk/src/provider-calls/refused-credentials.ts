import type { VerifyResult } from '../credential-check.js';
import type { DeliverError, DeliverFailure } from '../delivery.js';

/** A failure with one of these says nothing about the credentials: it must disable no App. */
const SAYS_NOTHING: readonly DeliverError[] = ['provider_unavailable', 'rate_limited', 'timeout'];

/** The answer of `/verify` for a call that the provider refused or did not answer. */
export function refusedCredentials({ error, error_detail }: DeliverFailure): Extract<VerifyResult, { ok: false }> {
  const code = SAYS_NOTHING.includes(error) ? 'provider_unavailable' : 'auth_failed';
  const reason = error_detail?.provider_code ?? error_detail?.message;
  return { ok: false, error: code, ...(reason !== undefined && { message: reason }) };
}
