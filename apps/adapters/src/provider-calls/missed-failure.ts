import type { DeliverFailure, MissedSinceResult } from '#libs/adapter-sdk';

/** The answer of `/missed-since` for a call that the provider refused or did not answer. */
export function missedFailure({ error, error_detail: detail }: DeliverFailure): MissedSinceResult {
  return {
    ok: false,
    error,
    ...(detail && { message: detail.message }),
    ...(detail?.retry_after !== undefined && { retry_after: detail.retry_after }),
  };
}

/** Nothing but a change of the set-up helps. */
export function missedNotConfigured(message: string): { ok: false; error: 'not_configured'; message: string } {
  return { ok: false, error: 'not_configured', message };
}
