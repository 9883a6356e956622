import type { CallContext, Credentials } from './call-context.js';
import type { DeliverFailure } from './delivery.js';

/** Request of `/indicate`: somebody who waits sees that an answer is being written. */
export interface IndicateCall {
  credentials: Credentials;
  channel_address: string;
  thread_id?: string;
  /** What is being answered, as `metadata.message_id` of `/parse-inbound` named it; absent: it had no name. */
  message_id?: string;
  /** `done`: it is over. Where a provider ends it by itself, or with the message, that is no call. */
  state: 'working' | 'done';
  context: CallContext;
}

/** A failure is of no consequence: it is not tried again. */
export type IndicateResult = { ok: true } | DeliverFailure;
