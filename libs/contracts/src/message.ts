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
  /** Set by the built-in Webhook app alone (spec 2.8): start this workflow, and nothing else. */
  workflow_id?: number;
  /** Set by the gateway alone, of a message that carries the origin marker of one of this installation's deliveries. */
  origin?: MessageOrigin;
  /**
   * What the adapter did not say: a Chief of Staff needs neither (spec 2.5), so the fields have a value that means
   * nothing. Triggers need both: their router ends such a message as a contract violation (spec 4.1).
   */
  missing?: ('event_type' | 'is_bot')[];
}

/** Which delivery a message came by. */
export interface MessageOrigin {
  delivery_id: string;
  /** Deliveries in a row that Apps of this installation made to each other, that one included. */
  hops: number;
}

/**
 * What a handshake came to when the adapter was asked: `refused` names why its `/verify-webhook` said no; without it
 * the request is a message when there is no answer.
 */
export interface HandshakeResult {
  refused?: { error: string };
  answer: { status: number; headers: Record<string, string>; body: string } | null;
}

/** An inbound HTTP request as it was received: header names lower-cased, the body exact (spec 4.1, adapter contract). */
export interface InboundRequest {
  method: string;
  url: string;
  path: string;
  /** A list where a parameter comes more than once. */
  query: Record<string, string | string[]>;
  headers: Record<string, string | string[]>;
  body: string;
  body_encoding: 'utf8' | 'base64';
}

/** A request as the ingress keeps it, with what it knew of it. */
export interface StoredRequest {
  request: InboundRequest;
  /** RFC 3339. */
  received_at: string;
  remote_address: string;
  /** Null where the adapter checks. */
  verified_scheme: string | null;
  /** Of the body. */
  bytes: number;
}

/** Where a reply goes. `channel_address` null means that the App has no reply path. */
export interface ReplyTarget {
  app_id: string;
  channel_address: string | null;
  thread_id: string | null;
  reply_context: unknown;
  /** Deliveries in a row that led to the message that is answered (`origin.hops`). Absent: none did. */
  hops?: number;
  /** The sender that is answered, where it is known as a contact's. */
  answers?: string;
}

/** A target of several messages that are answered together: the longest way counts, or a loop could start anew by them. */
export function withHopsOf(target: ReplyTarget | null, other: ReplyTarget | null): ReplyTarget | null {
  const hops = Math.max(target?.hops ?? 0, other?.hops ?? 0);
  return target && hops > 0 ? { ...target, hops } : target;
}

/** What was received for an event, byte for byte. */
export interface EventBody {
  /** As the sender named it; null where it named none. */
  content_type: string | null;
  body: string;
  body_encoding: 'utf8' | 'base64';
}
