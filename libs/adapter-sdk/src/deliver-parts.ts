import { randomUUID } from 'node:crypto';
import {
  deliverFailure,
  type DeliverCall,
  type DeliveredPart,
  type DeliverFailure,
  type DeliverResponse,
} from './delivery.js';

export interface PartToSend {
  text: string;
  index: number;
  count: number;
  /** The delivery's key, the same for every part and every attempt. */
  key: string;
  /** The message's own thread, or the one that an earlier part of this call opened. */
  threadId: string | undefined;
}

export interface SentPart {
  messageId: string;
  /** The thread that the part is in, or opened. */
  threadId: string | undefined;
  /** What the part was reduced to, for example `plain`, when the provider refused its rich form. */
  fallback?: string;
}

/**
 * Sends the parts in order and stops at the first failure, reporting how many have arrived. A retry passes that number
 * back as `from_part`; earlier parts are not sent again.
 */
export async function deliverParts(
  call: DeliverCall,
  texts: readonly string[],
  send: (part: PartToSend) => Promise<SentPart | DeliverFailure>,
): Promise<DeliverResponse> {
  const first = call.from_part ?? 0;
  if (first > texts.length) return deliverFailure('invalid_request', `from_part is beyond the ${texts.length} parts`);
  const key = call.idempotency_key ?? randomUUID();
  const parts: DeliveredPart[] = [];
  let threadId = call.message.thread_id;
  let fallback: string | undefined;
  for (const [index, text] of texts.entries()) {
    if (index < first) continue;
    const sent = await send({ text, index, count: texts.length, key, threadId });
    if ('ok' in sent) return { ...sent, delivered_parts: index, parts };
    parts.push({ message_id: sent.messageId });
    threadId ??= sent.threadId;
    fallback ??= sent.fallback;
  }
  return {
    ok: true,
    message_id: parts[0]?.message_id ?? key,
    ...(threadId !== undefined && { thread_id: threadId }),
    channel_address: call.channel_address,
    parts,
    fallback: fallback ?? null,
  };
}
