import {
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  deliverParts,
  type DeliverResponse,
  isJsonObject,
  type JsonObject,
  splitText,
} from '#libs/adapter-sdk';
import type { Egress } from '#libs/egress';
import { isHeaderSafe } from '../provider-calls/header-safety.js';
import { postPart } from './post-part.js';

export interface DeliverySettings {
  fetch: Egress['fetch'];
  /** For one part, from connecting to the end of the answer. */
  timeoutMs: number;
  /** UTF-16 code units in one part. */
  maxLength: number;
}

const MAX_KEY_LENGTH = 256;

/** Posts the message to its address, a long one in parts. */
export async function deliverMessage(call: DeliverCall, settings: DeliverySettings): Promise<DeliverResponse> {
  const problem = requestProblem(call);
  if (problem) return problem;
  const texts = call.message.text.trim() === '' ? [''] : splitText(call.message.text, settings.maxLength);
  return deliverParts(call, texts, ({ text, index, count, key, threadId }) =>
    postPart(
      {
        address: call.channel_address,
        credentials: call.credentials,
        key: count === 1 ? key : `${key}-${index + 1}`,
        payload: partPayload(call, text, threadId, { index, count }),
        originMarker: call.origin_marker,
      },
      settings,
    ),
  );
}

function partPayload(
  call: DeliverCall,
  text: string,
  threadId: string | undefined,
  part: { index: number; count: number },
): JsonObject {
  const { format, subject, attachments, reply_context } = call.message;
  const inReplyTo = isJsonObject(reply_context) ? reply_context.message_id : undefined;
  return {
    text,
    format: format ?? 'markdown',
    ...(threadId !== undefined && { thread_id: threadId }),
    ...(subject !== undefined && { subject }),
    // Sent once, or a receiver would store them with every part.
    ...(attachments && attachments.length > 0 && part.index === 0 && { attachments }),
    ...(typeof inReplyTo === 'string' && { in_reply_to: inReplyTo }),
    ...(part.count > 1 && { part }),
  };
}

function requestProblem(call: DeliverCall): DeliverFailure | undefined {
  const { message, idempotency_key, credentials } = call;
  if (message.text.trim() === '' && !message.attachments?.length) {
    return deliverFailure('invalid_request', 'message.text is empty and there is no attachment');
  }
  const url = URL.parse(call.channel_address);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    return deliverFailure('invalid_request', 'channel_address must be an http or https URL without user and password');
  }
  if (idempotency_key !== undefined && !(isHeaderSafe(idempotency_key) && idempotency_key.length <= MAX_KEY_LENGTH)) {
    return deliverFailure(
      'invalid_request',
      `idempotency_key must be visible ASCII, at most ${MAX_KEY_LENGTH} characters`,
    );
  }
  if (typeof credentials.token === 'string' && credentials.token !== '' && !isHeaderSafe(credentials.token)) {
    return deliverFailure('auth_failed', 'the bearer token cannot be sent in a header');
  }
  return undefined;
}
