import { MAX_RETRY_AFTER_SECONDS } from '#libs/adapter-sdk';

/** Why a listing or a document could not be fetched. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  constructor(
    readonly code: string,
    message: string,
    /** True when a retry gives the same. */
    readonly permanent: boolean,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

const permanentCodes = new Set(['not_found', 'auth_failed', 'permission_denied', 'unsupported', 'invalid_request']);

/** The error in an adapter's `{ok: false, error}`. */
export function sourceFailure(answer: Record<string, unknown>, path: string): SourceError {
  const code = storable(answer['error'], 100) ?? 'contract_violation';
  const message = storable(answer['message'], 500) ?? `${path} answered ${code}`;
  const seconds = answer['retry_after'];
  const retryAfterMs =
    typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) * 1_000 : null;
  return new SourceError(code, message, permanentCodes.has(code), retryAfterMs);
}

/** Postgres takes neither U+0000 nor a lone surrogate. */
export function storable(value: unknown, maxLength: number): string | null {
  return typeof value === 'string' ? value.replaceAll('\0', '').slice(0, maxLength).toWellFormed() : null;
}
