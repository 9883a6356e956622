import { deliverFailure, type DeliverFailure } from '../delivery.js';
import type { LostCall } from './provider-http.js';

/**
 * The failure of a call that gave no answer, with the code of its cause. If the server may have seen the call it is
 * `timeout`, which is not retryable by default: the message may have arrived.
 */
export function lostCall(error: LostCall): DeliverFailure {
  if (error.code === 'timeout')
    return deliverFailure('timeout', 'the server did not answer in time', { retryable: !error.sent });
  return error.sent
    ? deliverFailure('timeout', 'the connection ended before the answer', { provider_code: error.code })
    : deliverFailure('provider_unavailable', 'the server cannot be reached', { provider_code: error.code });
}
