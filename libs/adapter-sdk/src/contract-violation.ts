import { CURSOR_MAX_BYTES, isChangeRecord, SOURCE_ERRORS } from './document-sources.js';
import { DELIVER_ERRORS } from './delivery.js';
import { missedProblem } from './missed-since.js';
import { POLL_CURSOR_MAX_BYTES, POLL_MAX_EVENTS } from './polling.js';
import { isJsonObject, stringifyJson, type JsonObject } from './json-value.js';
import {
  aListOf,
  anAddress,
  anObject,
  aText,
  aWholeNumber,
  fieldProblems,
  trueOrFalse,
  type Wanted,
} from './typed-field.js';
import { WEBHOOK_REFUSALS } from './webhook-verification.js';

/** The largest `reply_context` that the platform stores, as JSON in UTF-8 bytes. */
export const REPLY_CONTEXT_MAX_BYTES = 4096;

/** A handler's answer breaks the contract: a defect of the adapter, answered with 500. */
export class ContractViolation extends Error {
  override readonly name = 'ContractViolation';
}

const parts = aListOf(anObject, 'a list of objects');
const count = aWholeNumber(0);

type Check = (answer: JsonObject) => string | undefined;

/** Per route, the first problem of a handler's answer. The messages name fields, never values. */
const CHECKS: Record<string, Check> = {
  verify: (answer) => wrongType(answer, 'ok', 'boolean') ?? wrongType(answer, answer.ok ? 'user' : 'error', 'string'),
  'verify-webhook': (answer) =>
    wrongType(answer, 'ok', 'boolean') ??
    (answer.ok ? wrongType(answer, 'scheme', 'string') : notOneOf(answer.error, WEBHOOK_REFUSALS)) ??
    first(answer, { message: aText }),
  'parse-inbound': messageProblem,
  'renew-webhook': (answer) =>
    wrongType(answer, 'ok', 'boolean') ??
    (answer.ok ? optional(answer, 'expires_at', 'string') : wrongType(answer, 'error', 'string')),
  'missed-since': missedProblem,
  deliver: (answer) =>
    wrongType(answer, 'ok', 'boolean') ??
    (answer.ok ? wrongType(answer, 'message_id', 'string') : notOneOf(answer.error, DELIVER_ERRORS)) ??
    first(answer, { thread_id: aText, channel_address: aText, parts, error_detail: anObject, delivered_parts: count }),
  indicate: (answer) =>
    wrongType(answer, 'ok', 'boolean') ?? (answer.ok ? undefined : notOneOf(answer.error, DELIVER_ERRORS)),
  poll: (answer) =>
    wrongType(answer, 'ok', 'boolean') ?? (answer.ok ? pollProblem(answer) : notOneOf(answer.error, DELIVER_ERRORS)),
  'deliver/lookup': (answer) =>
    wrongType(answer, 'found', 'boolean') ?? (answer.found ? wrongType(answer, 'message_id', 'string') : undefined),
  format: (answer) =>
    wrongType(answer, 'text', 'string') ??
    wrongType(answer, 'format', 'string') ??
    notTexts(answer, 'parts') ??
    notTexts(answer, 'lossy'),
  'sources/list-changes': (answer) => {
    if (answer.ok === false) return notOneOf(answer.error, SOURCE_ERRORS);
    if (!Array.isArray(answer.changes)) return 'changes must be an array';
    const wrong = answer.changes.findIndex((change) => !isChangeRecord(change));
    if (wrong >= 0) return `changes[${wrong}] must have a path, a status and a fingerprint, null when removed`;
    return (
      wrongType(answer, 'cursor', 'string') ??
      first(answer, { has_more: trueOrFalse, full: trueOrFalse }) ??
      tooLong(answer.cursor, 'cursor', CURSOR_MAX_BYTES)
    );
  },
};

/** Returns the answer if it follows the contract of its route; throws ContractViolation otherwise. */
export function checkAnswer(route: string, answer: unknown): unknown {
  const problem = isJsonObject(answer) ? CHECKS[route]?.(answer) : 'the answer must be an object';
  if (problem) throw new ContractViolation(`${route}: ${problem}`);
  return answer;
}

function messageProblem(answer: JsonObject): string | undefined {
  const scalar =
    wrongType(answer, 'event_type', 'string') ??
    wrongType(answer, 'sender', 'string') ??
    wrongType(answer, 'message', 'string') ??
    wrongType(answer, 'is_bot', 'boolean') ??
    optional(answer, 'dedup_key', 'string') ??
    optional(answer, 'thread_id', 'string') ??
    optional(answer, 'is_dm', 'boolean');
  if (scalar) return scalar;
  if (answer.event_type === '') return 'event_type must not be empty';
  const unrouted = ['challenge', 'ignored', 'batch'].includes(String(answer.event_type));
  if (answer.sender === '' && !unrouted) return 'sender must not be empty';
  const { metadata } = answer;
  if (metadata === undefined) return answer.event_type === 'batch' ? 'a batch needs metadata.messages' : undefined;
  if (!isJsonObject(metadata)) return 'metadata must be an object';
  if (stringifyJson(metadata) === undefined) return 'metadata is nested too deeply';
  const address = first(metadata, { channel_address: anAddress });
  if (address) return `metadata.${address}`;
  return (
    tooLong(metadata.reply_context, 'metadata.reply_context', REPLY_CONTEXT_MAX_BYTES) ??
    (answer.event_type === 'batch' ? batchProblem(metadata.messages) : undefined)
  );
}

function pollProblem({ events, cursor, gap, degraded }: JsonObject): string | undefined {
  const isEvent = (event: unknown): boolean =>
    isJsonObject(event) && typeof event.id === 'string' && event.id !== '' && typeof event.body === 'string';
  if (!Array.isArray(events) || events.length > POLL_MAX_EVENTS || !events.every(isEvent)) {
    return `events must be a list of at most ${POLL_MAX_EVENTS} objects with an id and a body as text`;
  }
  return (
    first({ cursor, gap, degraded }, { cursor: aText, gap: anObject, degraded: anObject }) ??
    (isJsonObject(degraded) ? degradedProblem(degraded) : undefined) ??
    tooLong(cursor, 'cursor', POLL_CURSOR_MAX_BYTES)
  );
}

function degradedProblem({ error, message }: JsonObject): string | undefined {
  const problem = notOneOf(error, DELIVER_ERRORS) ?? wrongType({ message }, 'message', 'string');
  return problem && `degraded.${problem}`;
}

function batchProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return 'a batch needs metadata.messages';
  for (const [index, message] of messages.entries()) {
    if (!isJsonObject(message)) return `metadata.messages[${index}] must be an object`;
    if (message.event_type === 'batch') return `metadata.messages[${index}] must not be a batch again`;
    const problem = messageProblem(message);
    if (problem) return `metadata.messages[${index}]: ${problem}`;
  }
  return undefined;
}

function wrongType(answer: JsonObject, field: string, type: 'string' | 'boolean'): string | undefined {
  return typeof answer[field] === type ? undefined : `${field} must be a ${type}`;
}

/** The first optional field with a wrong value. */
function first(answer: JsonObject, optionalFields: Record<string, Wanted>): string | undefined {
  const [problem] = fieldProblems(answer, {}, optionalFields);
  return problem && `${problem.field} ${problem.message}`;
}

function notTexts(answer: JsonObject, field: string): string | undefined {
  const value = answer[field];
  if (value === undefined) return undefined;
  const isTexts = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  return isTexts ? undefined : `${field} must be a list of strings`;
}

function optional(answer: JsonObject, field: string, type: 'string' | 'boolean'): string | undefined {
  return answer[field] === undefined ? undefined : wrongType(answer, field, type);
}

function notOneOf(value: unknown, allowed: readonly string[]): string | undefined {
  return allowed.some((entry) => entry === value) ? undefined : `error must be one of ${allowed.join(', ')}`;
}

function tooLong(value: unknown, field: string, maxBytes: number): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : (stringifyJson(value) ?? '');
  return Buffer.byteLength(text) > maxBytes ? `${field} must not exceed ${maxBytes} bytes` : undefined;
}
