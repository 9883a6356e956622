import type { MessageAttachment } from './delivery.js';
import type { ContextMessage } from './message-context.js';

/** Answer of `/parse-inbound` (contract 2.5). */
export interface NormalizedMessage {
  event_type: string;
  sender: string;
  message: string;
  /** True for what the platform itself sent: it is dropped before any trigger, or one message would loop for ever. */
  is_bot: boolean;
  metadata?: MessageMetadata;
  /** Names the message, not the delivery: retries and duplicates of one message share it. */
  dedup_key?: string;
  thread_id?: string;
  is_dm?: boolean;
  /** Text is answered as 200 text/plain, an object as given. */
  challenge_response?: string | { status?: number; headers?: Record<string, string>; body?: unknown };
}

export interface MessageMetadata {
  account?: string;
  /**
   * Where to reply: the `channel_address` of a later `/deliver`; absent: the `sender`. Null: nobody can be answered.
   */
  channel_address?: string | null;
  message_id?: string;
  is_self?: boolean;
  mentions_bot?: boolean;
  /** RFC 3339, UTC. */
  timestamp?: string;
  sender?: { id?: string; name?: string; email?: string; is_bot?: boolean };
  /** Another bot wrote it: not the platform, and not one of the kinds of contract 4.2, for which `is_bot` is true. */
  from_bot?: boolean;
  attachments?: MessageAttachment[];
  /** What was said before the message, oldest first: read with it, as content of others. `contextFields` bounds it. */
  context?: ContextMessage[];
  /** Messages of the context that were left out to bound it. */
  context_left_out?: number;
  /** Why the context is missing: the code of the failure. */
  context_unavailable?: string;
  /** Its sender passed it on: somebody else wrote it. */
  forwarded_from?: { id?: string; name?: string; channel?: string; timestamp?: string };
  /** Of an `action`: which one of `actions` was pressed, and below which message. */
  action?: { id: string; value: string; message_id?: string };
  /** Opaque to the platform, at most 4 KB as JSON, echoed to `/deliver`. */
  reply_context?: unknown;
  /** What the message answers and repeats, such as the history below a mail; `message` is without it. */
  quoted?: string;
  /** What stands below each message of its writer. */
  signature?: string;
  /** No person wrote it: it is read, but not answered. The next three say more precisely what it is. */
  auto_submitted?: boolean;
  bounce?: boolean;
  mailing_list?: boolean;
  notification?: boolean;
  /** An origin marker of the platform (`origin_marker` of `/deliver`) that the message contains. */
  origin_marker?: string;
  ignored_reason?: string;
  raw_type?: string;
  /** The messages of an `event_type: "batch"`. */
  messages?: NormalizedMessage[];
  [field: string]: unknown;
}

/** The event types of the shipped adapters; an adapter may use further descriptive names. */
export const EVENT_TYPES = [
  'message_received',
  'mention',
  'command',
  'action',
  'message_edited',
  'message_deleted',
  'reaction_added',
  'email_received',
  'issue_opened',
  'issue_comment',
  'pull_request_opened',
  'review_comment',
  'push',
  'mailbox_changed',
  'delivery_status',
  'challenge',
  'ping',
  'ignored',
  'batch',
] as const;

/** The answer of an adapter for an event that is unknown or has no content: never an error. */
export function ignoredMessage(reason: string, metadata: MessageMetadata = {}): NormalizedMessage {
  return {
    event_type: 'ignored',
    sender: 'unknown',
    message: '',
    is_bot: false,
    metadata: { ...metadata, ignored_reason: reason },
  };
}
