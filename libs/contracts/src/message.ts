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
}

/** An inbound HTTP request as it was received: header names lower-cased, the body exact (spec 4.1, adapter contract). */
export interface InboundRequest {
  method: string;
  url: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | string[]>;
  body: string;
  body_encoding: 'utf8' | 'base64';
}

/** Where a reply goes. `channel_address` null means that the App has no reply path. */
export interface ReplyTarget {
  app_id: string;
  channel_address: string | null;
  thread_id: string | null;
  reply_context: unknown;
}

/** What was received for an event, byte for byte. */
export interface EventBody {
  /** As the sender named it; null where it named none. */
  content_type: string | null;
  body: string;
  body_encoding: 'utf8' | 'base64';
}
