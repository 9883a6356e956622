export type AdapterErrorCode = 'provider_unavailable' | 'contract_violation' | 'timeout';

/** A call to an adapter that gave no valid answer. A retry after a `contract_violation` gives the same. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  constructor(
    readonly code: AdapterErrorCode,
    message: string,
    /** False when the adapter may have acted on the call: its answer was lost. */
    readonly notSent: boolean,
    /** The adapter's own `Retry-After`, in ms. */
    readonly retryAfterMs: number | null = null,
    /** The call was the trial of an adapter known to fail: its failure says nothing about the request. */
    readonly onTrial = false,
  ) {
    super(message);
  }
}
