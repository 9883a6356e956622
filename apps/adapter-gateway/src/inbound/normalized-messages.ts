import type { NormalizedMessage } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';

const maxBatch = 1_000;

/**
 * The messages in an answer of `/parse-inbound`: one, or those of a batch; none when a batch is empty.
 * @throws PermanentFailure `contract_violation`, naming the field (spec 2.5)
 */
export function normalizedMessages(answer: Record<string, unknown>): NormalizedMessage[] {
  if (answer['event_type'] !== 'batch') return [normalized(answer)];
  const messages = isObject(answer['metadata']) ? answer['metadata']['messages'] : undefined;
  if (!Array.isArray(messages)) throw violation('metadata.messages', 'a list');
  if (messages.length > maxBatch) throw violation('metadata.messages', `a list of at most ${maxBatch}`);
  return messages.map((message: unknown) => {
    if (isObject(message) && message['event_type'] === 'batch') throw violation('event_type', 'no batch in a batch');
    return normalized(message);
  });
}

/** A handshake: its answer is the flag, whatever the event is called (spec 2.5). */
export function isChallenge(answer: Record<string, unknown>): boolean {
  const { event_type: type, challenge_response: response } = answer;
  return type === 'challenge' || (typeof response === 'string' && response !== '') || isObject(response);
}

function normalized(value: unknown): NormalizedMessage {
  if (!isObject(value)) throw violation('message', 'an object');
  const { event_type, sender, message, is_bot, metadata, dedup_key, thread_id, is_dm } = value;
  if (isChallenge(value)) return { event_type: 'challenge', sender: '', message: '', is_bot: false };
  if (typeof sender !== 'string') throw violation('sender', 'a text');
  if (typeof message !== 'string') throw violation('message', 'a text');
  return {
    // Chief of Staff mode needs neither event_type nor is_bot (spec 2.5).
    event_type: typeof event_type === 'string' && event_type !== '' ? event_type : 'message_received',
    sender,
    message,
    is_bot: is_bot === true,
    ...(isObject(metadata) ? { metadata } : {}),
    ...(typeof dedup_key === 'string' && dedup_key !== '' ? { dedup_key } : {}),
    ...(typeof thread_id === 'string' && thread_id !== '' ? { thread_id } : {}),
    ...(typeof is_dm === 'boolean' ? { is_dm } : {}),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function violation(field: string, wanted: string): PermanentFailure {
  return new PermanentFailure('contract_violation', `/parse-inbound: ${field} has to be ${wanted}`);
}
