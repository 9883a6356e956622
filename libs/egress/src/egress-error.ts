/** Every way in which a guarded call can fail; callers decide by the code, never by the message. */
export const EGRESS_ERROR_CODES = [
  'invalid_url',
  'invalid_request',
  'blocked_scheme',
  'blocked_address',
  'blocked_redirect',
  'too_many_redirects',
  'dns_failed',
  'connect_failed',
  'timeout',
  'response_failed',
  'response_too_large',
  'aborted',
] as const;

export type EgressErrorCode = (typeof EGRESS_ERROR_CODES)[number];

/**
 * A call that gave no response.
 * `sent` says whether a server may have seen the request: false means that a retry cannot double an effect.
 * Messages name at most the host, never a query, a header or a body.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError';

  constructor(
    readonly code: EgressErrorCode,
    message: string,
    readonly sent = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
