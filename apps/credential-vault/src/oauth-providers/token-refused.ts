import type { Quirks } from './quirks.js';
import type { TokenAnswer } from './token-answer.js';

/**
 * How a token request failed: `grant`: the tokens are dead; `revoked`: dead, because someone withdrew them, as the
 * provider says; `client`: the client id, secret or request is refused; `throttled`: retry when the provider says;
 * `transient`: retry later; `malformed`: a success that cannot be read; `unsent`: the request was never sent;
 * `unanswered`: it may have arrived, and no answer came.
 */
export type FailureClass =
  'grant' | 'revoked' | 'client' | 'throttled' | 'transient' | 'malformed' | 'unsent' | 'unanswered';

/** A token request that gave no tokens. `code` is the provider's error code if it is well-formed; never its text. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  constructor(
    readonly failure: FailureClass,
    readonly code: string,
    /** Seconds that the provider asked us to wait. */
    readonly retryAfter: number | null = null,
    /** HTTP status of the answer, if there was one. */
    readonly status: number | null = null,
  ) {
    super(`token request failed: ${failure} (${code})`);
  }

  /** Classifies an answer without tokens (RFC 6749 section 5.2). */
  static of({ status, fields, retryAfter }: TokenAnswer, quirks: Quirks): TokenRefused {
    const given = fields?.['error'];
    const code = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : `http_${status}`;
    return new TokenRefused(failureOf(status, code, quirks), code, retryAfter, status);
  }
}

const passing = new Set(['temporarily_unavailable', 'server_error', 'slow_down', 'internal_failure']);

function failureOf(status: number, code: string, quirks: Quirks): FailureClass {
  if (code === 'token_revoked' || quirks.revoked_errors?.includes(code)) return 'revoked';
  if (code === 'invalid_grant' || quirks.permanent_errors?.includes(code)) return 'grant';
  if (status === 429 || code === 'slow_down' || code === 'ratelimited') return 'throttled';
  if (status >= 500 || status === 408 || passing.has(code)) return 'transient';
  if (status >= 400) return 'client';
  return 'malformed';
}
