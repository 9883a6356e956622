/**
 * The provider cannot be reached now. A handler may throw it before anything was sent: `/verify` and `/deliver` answer
 * the code `provider_unavailable`, which disables nothing and is retried, other routes HTTP 503. Names no value.
 */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';

  constructor(
    message: string,
    /** Seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}
