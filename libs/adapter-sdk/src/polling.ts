import type { CallContext, Credentials } from './call-context.js';
import type { DeliverError, DeliverFailure } from './delivery.js';

/** The longest cursor that the platform stores, in UTF-8 bytes. */
export const POLL_CURSOR_MAX_BYTES = 4_096;
/** Most events of one answer. */
export const POLL_MAX_EVENTS = 100;

/** Request of `/poll`: the next events after a cursor. Asking with a cursor acknowledges all before it. */
export interface PollCall {
  credentials: Credentials;
  /** As the last answer gave it; absent: from the beginning of what the provider keeps. */
  cursor?: string;
  /** Without events, the answer may take this long. */
  wait_seconds: number;
  context: CallContext;
}

/** One event, as a webhook would bring it to `/parse-inbound`. */
export interface PolledEvent {
  /** Names the event at its provider: a second one with the same id is dropped. At most 500 characters. */
  id: string;
  body: string;
  headers?: Record<string, string>;
}

export type PollResult =
  | {
      ok: true;
      events: PolledEvent[];
      /** After these events. The platform stores it once it has stored them; absent: where it was. */
      cursor?: string;
      /** The provider says that events are lost. */
      gap?: { reason: string; since?: string; until?: string };
      /** A part of the connection fails while the rest brings events; said with each answer for as long as it does. */
      degraded?: { error: DeliverError; message: string };
    }
  | DeliverFailure;
