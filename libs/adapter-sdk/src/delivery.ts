import type { CallContext, Credentials } from './call-context.js';
import type { MessageFormat } from './manifest.js';
import type { MessageAction } from './outgoing-actions.js';

/** Each code, and whether the same call may succeed later. Not for `timeout`: the message may have arrived. */
const RETRYABLE = {
  auth_failed: false,
  permission_denied: false,
  not_found: false,
  address_moved: false,
  rate_limited: true,
  too_large: false,
  invalid_format: false,
  provider_unavailable: true,
  timeout: false,
  invalid_request: false,
  unsupported: false,
} as const;

export type DeliverError = keyof typeof RETRYABLE;
export const DELIVER_ERRORS = Object.keys(RETRYABLE) as DeliverError[];

export interface MessageAttachment {
  id?: string;
  name?: string;
  content_type?: string;
  /** Bytes. */
  size?: number;
  /** A `file_path` for `/sources/fetch-file`, called with an empty `resource_path`. */
  fetch_ref?: string;
  /** The bytes, when it is to be delivered. */
  content_base64?: string;
}

/** Request of `/deliver`: the fields of contract 2.6 and the optional additions. */
export interface DeliverRequest {
  credentials: Credentials;
  channel_address: string;
  message: {
    text: string;
    /** The thread to reply in; absent also where the caller sends an empty text. */
    thread_id?: string;
    format?: MessageFormat;
    subject?: string;
    attachments?: MessageAttachment[];
    reply_context?: unknown;
    /** Feature `edit`: the message to change instead of sending one; parts beyond the first are new messages. */
    edit_of?: string;
    /** Feature `actions`: shown below the last part; a press comes in as `metadata.action`. */
    actions?: MessageAction[];
    /** Feature `reactions`: the message to react to, with or without a text. */
    reaction_to?: string;
    /** An emoji, or its name at the provider between colons. */
    reaction?: string;
  };
  idempotency_key?: string;
  /** Zero-based index of the first part to send: the `delivered_parts` of the failed attempt. */
  from_part?: number;
  /**
   * Names the App and this delivery. If its platform can carry it, in a header or a field, an adapter sends it along,
   * and returns one that it finds in a message as `metadata.origin_marker`. This detects Apps that answer each other.
   */
  origin_marker?: string;
}

export interface DeliverCall extends DeliverRequest {
  context: CallContext;
}

export interface DeliveredPart {
  message_id: string;
}

export interface DeliverErrorDetail {
  message: string;
  retryable: boolean;
  /** Seconds. */
  retry_after?: number;
  provider_status?: number;
  provider_code?: string;
  /** For `address_moved`: the new address, if the provider names it. */
  channel_address?: string;
}

/**
 * Answer of `/deliver`. `parts` are those of this call; `delivered_parts` counts from the first part of the message.
 */
export type DeliverResponse =
  | {
      ok: true;
      message_id: string;
      thread_id?: string;
      channel_address?: string;
      parts?: DeliveredPart[];
      fallback?: string | null;
    }
  | {
      ok: false;
      error: DeliverError;
      error_detail?: DeliverErrorDetail;
      delivered_parts?: number;
      parts?: DeliveredPart[];
    };

export type DeliverFailure = Extract<DeliverResponse, { ok: false }>;

/**
 * A failed delivery with its code's own `retryable`. The message must not contain anything that the provider echoed.
 */
export function deliverFailure(
  error: DeliverError,
  message: string,
  detail: Partial<Omit<DeliverErrorDetail, 'message'>> = {},
): DeliverFailure {
  return { ok: false, error, error_detail: { message, retryable: RETRYABLE[error], ...detail } };
}

/** Request and answer of `/deliver/lookup`, for adapters that can tell whether a lost delivery arrived. */
export interface LookupCall {
  credentials: Credentials;
  idempotency_key: string;
  channel_address: string;
  /** The message's thread, if it has one. */
  thread_id?: string;
  context: CallContext;
}

export type LookupResult = { found: true; message_id: string } | { found: false };
