import {
  aFilledText,
  anAddress,
  anId,
  anObject,
  aText,
  fieldProblems,
  isJsonObject,
  type JsonObject,
  kindOf,
  trueOrFalse,
  type Wanted,
  wholeNumberAsText,
} from '#libs/adapter-sdk';
import type { NormalizedMessage } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import { isShallow } from '#libs/service-kit';
import { withoutNulls } from '../adapters/answer-fields.js';

export const maxBatch = 1_000;

const challengeResponse: Wanted = {
  is: 'a text, a number or an object',
  accepts: (value) => typeof value === 'string' || typeof value === 'number' || isJsonObject(value) || value === false,
};

const optional = {
  event_type: aFilledText,
  is_bot: trueOrFalse,
  metadata: anObject,
  dedup_key: anId,
  thread_id: anId,
  is_dm: trueOrFalse,
  challenge_response: challengeResponse,
};

/**
 * The messages in an answer of `/parse-inbound`: one, or those of a batch; none when a batch is empty.
 * @throws PermanentFailure `contract_violation`, naming the field, what came and what is expected (spec 2.5)
 */
export function normalizedMessages(answer: JsonObject): NormalizedMessage[] {
  const given = withoutNulls(answer);
  if (given['event_type'] !== 'batch') return [normalized(given, '')];
  requireFields(given, {}, '');
  const messages = isJsonObject(given['metadata']) ? given['metadata']['messages'] : undefined;
  const list = `a list of at most ${maxBatch} messages`;
  if (!Array.isArray(messages)) throw violation('metadata.messages', list, kindOf(messages));
  if (messages.length > maxBatch) throw violation('metadata.messages', list, `one of ${messages.length}`);
  return messages.map((message: unknown, index) => {
    const at = `metadata.messages[${index}]`;
    if (!isJsonObject(message)) throw violation(at, 'an object', kindOf(message));
    if (message['event_type'] === 'batch') throw violation(`${at}.event_type`, 'that of one message', 'batch');
    return normalized(withoutNulls(message), `${at}.`);
  });
}

/** Whether it is a handshake: by its event type, or by a `challenge_response` whatever the type (spec 2.5). */
export function isChallenge({ event_type: type, challenge_response: response }: JsonObject): boolean {
  if (type === 'challenge') return true;
  return typeof response === 'number' || (typeof response === 'string' && response !== '') || isJsonObject(response);
}

/** @param at prefix of its fields' names */
function normalized(given: JsonObject, at: string): NormalizedMessage {
  if (isChallenge(given)) {
    requireFields(given, {}, at);
    return { event_type: 'challenge', sender: '', message: '', is_bot: false };
  }
  // An ignored message is not routed, so it needs no sender to answer.
  const sender = given['event_type'] === 'ignored' ? aText : aFilledText;
  requireFields(given, { sender, message: aText }, at);
  const { event_type: type, is_bot: isBot, ...rest } = withIdsAsTexts(given) as Partial<NormalizedMessage>;
  const missing = (['event_type', 'is_bot'] as const).filter((field) => given[field] === undefined);
  const { sender: from = '', message = '', metadata, dedup_key: key, thread_id: thread, is_dm: direct } = rest;
  return {
    event_type: type ?? 'message_received',
    sender: from,
    message,
    is_bot: isBot ?? false,
    ...(metadata ? { metadata } : {}),
    ...(key ? { dedup_key: key } : {}),
    ...(thread ? { thread_id: thread } : {}),
    ...(direct === undefined ? {} : { is_dm: direct }),
    ...(missing.length > 0 ? { missing } : {}),
  };
}

/** Providers number their messages, threads, chats and accounts: such a number is taken as its decimal digits. */
function withIdsAsTexts(given: JsonObject): JsonObject {
  const { metadata } = given;
  const message = idsAsTexts(given, ['dedup_key', 'thread_id']);
  if (!isJsonObject(metadata)) return message;
  const { sender } = metadata;
  const ids = idsAsTexts(metadata, ['account', 'channel_address', 'message_id', 'provider_message_id']);
  return { ...message, metadata: isJsonObject(sender) ? { ...ids, sender: idsAsTexts(sender, ['id']) } : ids };
}

function idsAsTexts(given: JsonObject, fields: string[]): JsonObject {
  const ids = fields.flatMap((field) => (field in given ? [[field, wholeNumberAsText(given[field])] as const] : []));
  return { ...given, ...Object.fromEntries(ids) };
}

function requireFields(given: JsonObject, required: Record<string, Wanted>, at: string): void {
  const metadata = isJsonObject(given['metadata']) ? given['metadata'] : {};
  const problems = [
    ...fieldProblems(given, required, optional, at),
    ...fieldProblems(metadata, {}, { channel_address: anAddress }, `${at}metadata.`),
  ];
  if (problems.length === 0) return;
  const words = problems.map(({ field, message }) => `${field} ${message}`).join('; ');
  throw new PermanentFailure('contract_violation', `/parse-inbound: ${words}`);
}

function violation(field: string, wanted: string, came: string): PermanentFailure {
  return new PermanentFailure('contract_violation', `/parse-inbound: ${field} must be ${wanted}, not ${came}`);
}

/**
 * Rejects what is nested deeper than its readers can walk, on the first attempt and with a code of its own: every later
 * service walks a message, and so does Postgres.
 * @param maxDepth levels of the metadata, or of the built-in Webhook app's payload
 * @throws PermanentFailure `contract_violation` for an adapter's answer, `too_deep` for the built-in app's body
 */
export function requireDepth(messages: NormalizedMessage[], kind: 'builtin' | 'adapter', maxDepth: number): void {
  for (const { metadata } of messages) {
    // The payload of the built-in app is one level down in the metadata.
    if (isShallow(metadata, kind === 'builtin' ? maxDepth + 1 : maxDepth)) continue;
    if (kind === 'adapter') {
      throw new PermanentFailure(
        'contract_violation',
        `/parse-inbound: metadata is nested more than ${maxDepth} levels deep`,
      );
    }
    throw new PermanentFailure('too_deep', `the body is nested more than ${maxDepth} levels deep`);
  }
}
