/** The normalized inbound message that `/parse-inbound` answers (spec 2.5). */
export interface NormalizedMessage {
  event_type: string;
  sender: string;
  message: string;
  is_bot: boolean;
  metadata?: Record<string, unknown>;
  dedup_key?: string;
  thread_id?: string;
  is_dm?: boolean;
  challenge_response?: unknown;
  /** Set only by the built-in Webhook app (spec 2.8): start this workflow, and nothing else. */
  workflow_id?: number;
  /** Set only by the gateway, for a message with the origin marker of one of this installation's deliveries. */
  origin?: MessageOrigin;
  /**
   * Fields that the adapter left out: a Chief of Staff needs neither (spec 2.5), so they have a meaningless value.
   * Triggers need both: the router then ends the message as a contract violation (spec 4.1).
   */
  missing?: ('event_type' | 'is_bot')[];
}

/** The delivery by which a message came. */
export interface MessageOrigin {
  delivery_id: string;
  /** Deliveries in a row that Apps of this installation made to each other, including that one. */
  hops: number;
}

/**
 * The adapter's verdict on a possible handshake. `refused` says why its `/verify-webhook` refused the request. Without
 * it, a request without an answer is a message.
 */
export interface HandshakeResult {
  refused?: { error: string };
  answer: { status: number; headers: Record<string, string>; body: string } | null;
}

/** An inbound HTTP request as received: header names lower-cased, the body exact (spec 4.1, adapter contract). */
export interface InboundRequest {
  method: string;
  url: string;
  path: string;
  /** A list where a parameter occurs more than once. */
  query: Record<string, string | string[]>;
  headers: Record<string, string | string[]>;
  body: string;
  body_encoding: 'utf8' | 'base64';
}

/** A request as the ingress stored it, with what the ingress knew about it. */
export interface StoredRequest {
  request: InboundRequest;
  /** RFC 3339. */
  received_at: string;
  remote_address: string;
  /** Null where the adapter checks. */
  verified_scheme: string | null;
  /** Size of the body. */
  bytes: number;
}

/** Where a reply goes. `channel_address` null: the App has no reply path. */
export interface ReplyTarget {
  app_id: string;
  channel_address: string | null;
  /** The address is the channel's own setting: each attempt takes the one of its time. Absent: it came with the message. */
  by_channel?: true;
  thread_id: string | null;
  reply_context: unknown;
  /** Deliveries in a row that led to the message being answered (`origin.hops`). Absent: none. */
  hops?: number;
  /** The sender being answered, if known as a contact's. */
  answers?: string;
  /** A reply that is not sent this many seconds after it was written is not sent at all. Absent: it is. */
  ttl_seconds?: number;
  /** The channel can show that an answer is being written. Absent: it cannot. */
  typing?: true;
  /** The channel takes files with an answer. Absent: it does not. */
  files?: true;
  /** How the channel shows a message while the answer is not there yet. Absent: it shows none. */
  interim?: InterimKind;
}

/** A target as a row has it that says the App itself: without that, and without what is null. */
export type StoredReplyTarget = Omit<ReplyTarget, TargetDefault> & Partial<Pick<ReplyTarget, TargetDefault>>;
type TargetDefault = 'app_id' | 'thread_id' | 'reply_context';

/** @param appId of the row */
export function storedReplyTarget(target: ReplyTarget, appId: string): StoredReplyTarget {
  const { app_id, thread_id, reply_context, ...rest } = target;
  return {
    ...(app_id === appId ? {} : { app_id }),
    ...(thread_id === null ? {} : { thread_id }),
    ...(reply_context === null ? {} : { reply_context }),
    ...rest,
  };
}

/** What `storedReplyTarget` was made of. @param appId of the row */
export function wholeReplyTarget(stored: StoredReplyTarget, appId: string): ReplyTarget {
  return { app_id: appId, thread_id: null, reply_context: null, ...stored };
}

/** `edited`: the answer takes its place. `once`: it stays, as a message of its own, and is the only one of its turn. */
export const interimKinds = ['edited', 'once'] as const;
export type InterimKind = (typeof interimKinds)[number];

/**
 * The target of several messages that are answered together: the highest hop count applies, or a loop could start over.
 */
export function withHopsOf(target: ReplyTarget | null, other: ReplyTarget | null): ReplyTarget | null {
  const hops = Math.max(target?.hops ?? 0, other?.hops ?? 0);
  return target && hops > 0 ? { ...target, hops } : target;
}

/** What was received for an event, byte for byte. */
export interface EventBody {
  /** As given by the sender; null if it gave none. */
  content_type: string | null;
  body: string;
  body_encoding: 'utf8' | 'base64';
}
