import { backoffMs } from '#libs/contracts';
import type { TokenRefused } from '../oauth-providers/token-refused.js';
import type { Failure } from './grant.repository.js';
import type { OauthGrant } from './grant.entity.js';

/** Seconds for which the grants of a refused client pause. */
const clientPauseSeconds = 3_600;
const degradedAfter = 2;
const refreshBackoff = { baseMs: 30_000, capMs: 3_600_000 };

export interface Verdict extends Pick<Failure, 'state' | 'reason' | 'retryIn' | 'unanswered'> {
  /** Retry once, at once. */
  retry: boolean;
}

/**
 * Decides the fate of a grant whose refresh gave no tokens. Only an answer that the refresh token is dead ends it. A
 * request with an unknown outcome is repeated once at once, while a provider with a grace period still accepts the old
 * token, and then with the usual backoff. If a definite refusal follows, our lost answer very likely had the new token.
 */
export function verdictOn(
  grant: OauthGrant,
  refused: TokenRefused,
  clientChanged: boolean,
  floorSeconds: number,
): Verdict {
  const failures = grant.consecutive_failures + 1;
  const later = backoffMs(refreshBackoff, failures - 1, 0.2) / 1_000;
  const lost = refused.failure === 'unanswered' || (refused.status ?? 0) >= 500 || refused.failure === 'malformed';
  const unanswered = grant.unanswered + (lost && grant.grant_type === 'authorization_code' ? 1 : 0);
  const base = { unanswered, retry: false };
  if (clientChanged && ['grant', 'revoked', 'client', 'rejected'].includes(refused.failure)) {
    return { ...base, state: 'degraded', reason: 'client_changed', retryIn: 0, retry: true };
  }
  // Nobody could connect such a grant again: its credential or its configuration has to be corrected.
  if (grant.grant_type === 'client_credentials' && ['grant', 'revoked'].includes(refused.failure)) {
    return { ...base, state: 'degraded', reason: 'request_rejected', retryIn: clientPauseSeconds };
  }
  switch (refused.failure) {
    case 'grant':
      return {
        ...base,
        state: 'needs_reconnect',
        reason: grant.unanswered > 0 ? 'refresh_outcome_unknown' : 'invalid_grant',
        retryIn: 0,
      };
    case 'revoked':
      return { ...base, state: 'revoked', reason: 'revoked_by_provider', retryIn: 0 };
    case 'client':
    case 'rejected':
      return { ...base, state: 'degraded', reason: 'client_rejected', retryIn: clientPauseSeconds };
    case 'malformed':
      return { ...base, state: 'degraded', reason: 'malformed_answer', retryIn: later };
    case 'unanswered': {
      // Client credentials lose nothing with an answer, so lost ones are not counted for them.
      const lostBefore = grant.grant_type === 'client_credentials' ? grant.consecutive_failures : grant.unanswered;
      const first = lostBefore === 0;
      return {
        ...base,
        state: 'degraded',
        reason: 'refresh_outcome_unknown',
        retryIn: first ? 0 : later,
        retry: first,
      };
    }
    default: {
      const retryIn = Math.max(refused.retryAfter ?? later, floorSeconds);
      if (failures < degradedAfter && grant.state === 'active')
        return { ...base, state: 'active', reason: null, retryIn };
      const reason = refused.failure === 'throttled' ? 'throttled' : 'provider_unavailable';
      // A more serious reason is kept.
      return {
        ...base,
        state: 'degraded',
        reason: grant.unanswered > 0 && grant.reason ? grant.reason : reason,
        retryIn,
      };
    }
  }
}
