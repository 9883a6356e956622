import { createHash } from 'node:crypto';
import type { JsonObject } from '#libs/adapter-sdk';
import { objectOf } from '../provider-calls/json-fields.js';

const METADATA_TYPE = 'gatehouse_delivery';

/** The hidden mark of a posted part, so that it can be found again: its delivery, and which part of how many it is. */
export function deliveryMark(key: string, index: number, count: number): JsonObject {
  const hash = keyHash(key);
  const part = createHash('sha256').update(`${hash}:${index}`).digest('hex');
  return {
    metadata: { event_type: METADATA_TYPE, event_payload: { key: hash, part: index, parts: count } },
    // In the form of a UUID; Slack detects a repeated message by it.
    client_msg_id: [
      part.slice(0, 8),
      part.slice(8, 12),
      part.slice(12, 16),
      part.slice(16, 20),
      part.slice(20, 32),
    ].join('-'),
  };
}

/** Whether a message of the history is the last part of a delivery: then the delivery is complete. */
export function completesDelivery(message: JsonObject, key: string): boolean {
  const { event_type, event_payload } = objectOf(message.metadata);
  const payload = objectOf(event_payload);
  if (event_type !== METADATA_TYPE || payload.key !== keyHash(key)) return false;
  return typeof payload.parts === 'number' && payload.part === payload.parts - 1;
}

function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
