import { deliverFailure, type DeliverFailure } from '#libs/adapter-sdk';
import type { EgressError, EgressErrorCode } from '#libs/egress';
import { lostCall } from '../provider-calls/lost-call.js';

const REFUSED_ADDRESS: readonly EgressErrorCode[] = [
  'invalid_url',
  'invalid_request',
  'blocked_scheme',
  'blocked_address',
  'blocked_redirect',
];

/** The failure of a call that gave no answer: an address that is closed to it, or a lost call. */
export function failureOfCall(error: EgressError): DeliverFailure {
  return REFUSED_ADDRESS.includes(error.code)
    ? deliverFailure('invalid_request', `channel_address cannot be reached from here: ${error.code}`)
    : lostCall(error);
}
