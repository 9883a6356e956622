import { parseKeepingNumbers } from '#libs/adapter-sdk';
import { callsOf, type Fields, fieldsOf, finishOf, partsOf, textOf } from './answer-parts.js';
import { beginsStream, JoinedStream } from './joined-stream.js';
import type { Completion } from './model.js';
import { depthOf } from './read-arguments.js';

/** What an endpoint answered, whatever it called its parts. */
export type ReadAnswer =
  | ({ is: 'answer'; usage: unknown; thought?: string } & Pick<
      Completion,
      'text' | 'tool_calls' | 'finish_reason' | 'refusal'
    >)
  /** It reports an error in an answer with status 200. `status`: the one that it should have had, if it says so. */
  | { is: 'error'; status: number | null; usage: unknown }
  | { is: 'unreadable'; why: string; usage: unknown };

/** What the package of a provider reads. `usage`: also of an answer that it cannot read. */
export interface OtherAnswer {
  is: 'other';
  usage: unknown;
}

/** A deeper answer is not read: what works on it goes down level by level. */
const maxDepth = 200;

/**
 * Reads the body of a chat completion. Endpoints differ in nearly every field, and an answer has been paid for, so it
 * is read as far as it is clear what was meant.
 */
export function readAnswer(body: string): ReadAnswer {
  const text = body.replace(/^\ufeff/, '').trim();
  // Some endpoints stream although nobody asked for it.
  if (beginsStream(text)) {
    const joined = new JoinedStream();
    joined.add(text);
    joined.end();
    return readJoined(joined);
  }
  const value = jsonOf(text);
  return 'is' in value ? value : answerIn(value.json);
}

/** Reads the chat completion that a stream added up to. */
export function readJoined(joined: JoinedStream): ReadAnswer {
  return answerIn(joined.completion);
}

/**
 * Reads of another protocol's answer only what its package would take for something else: an error, a prompt that was
 * blocked (Gemini), and what is no answer at all.
 */
export function readOtherAnswer(body: string): ReadAnswer | OtherAnswer {
  const value = jsonOf(body.replace(/^\ufeff/, '').trim());
  if ('is' in value) return value;
  const fields = fieldsOf(Array.isArray(value.json) ? value.json[0] : value.json);
  if (!fields) return unreadable('it is not a JSON object');
  const usage = fields['usage'] ?? fields['usageMetadata'];
  const failed = errorIn(fields);
  if (failed) return { is: 'error', status: statusOf(failed), usage };
  const blocked = fieldsOf(fields['promptFeedback'])?.['blockReason'];
  const candidates = fields['candidates'];
  if (blocked !== undefined && !(Array.isArray(candidates) && candidates.length > 0))
    return { is: 'answer', text: '', tool_calls: [], finish_reason: 'content-filter', usage };
  return { is: 'other', usage };
}

function jsonOf(text: string): { json: unknown } | ReadAnswer {
  if (text === '') return unreadable('its body is empty');
  if (text.startsWith('<')) return unreadable('it is a web page');
  if (depthOf(text) > maxDepth) return unreadable(`it is nested deeper than ${maxDepth} levels`);
  try {
    return { json: parseKeepingNumbers(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unreadable('it is not JSON, or was cut off');
  }
}

function answerIn(value: unknown): ReadAnswer {
  const body = fieldsOf(Array.isArray(value) ? value[0] : value);
  if (!body) return unreadable('it is not a JSON object');
  const { usage } = body;
  const choices = body['choices'];
  const choice = fieldsOf(Array.isArray(choices) ? choices.find((each) => fieldsOf(each)) : choices);
  const failed = choice === null ? errorIn(body) : 'message' in choice ? null : errorIn(choice);
  if (failed) return { is: 'error', status: statusOf(failed), usage };
  if (!choice) return unreadable(Array.isArray(choices) ? 'it has no choice' : 'it has no `choices`', usage);
  const given = choice['message'] ?? choice['delta'] ?? choice['text'];
  const message: Fields | null = typeof given === 'string' ? { content: given } : fieldsOf(given);
  if (!message) return unreadable('its choice has no message', usage);
  const parts = partsOf(message['content']);
  const tool_calls = callsOf(message, parts);
  const refusal = [message['refusal'], ...parts.map((part) => part['refusal'])].find(
    (each) => typeof each === 'string' && each !== '',
  );
  const { reasoning_content: thought } = message;
  return {
    is: 'answer',
    text: parts.map(textOf).join(''),
    tool_calls,
    finish_reason: finishOf(choice['finish_reason'] ?? choice['stop_reason'], tool_calls.length),
    ...(typeof refusal === 'string' ? { refusal } : {}),
    ...(typeof thought === 'string' && thought !== '' ? { thought } : {}),
    usage,
  };
}

function unreadable(why: string, usage: unknown = null): ReadAnswer {
  return { is: 'unreadable', why, usage };
}

/** The error that an object reports in place of an answer. */
function errorIn(body: Fields): Fields | null {
  const { error, detail } = body;
  if (error !== undefined && error !== null && error !== false) return fieldsOf(error) ?? { message: error };
  if (body['object'] === 'error' || body['type'] === 'error') return body;
  return detail === undefined || detail === null ? null : { message: detail };
}

/** Words in codes, types and messages of errors, with the status that they usually come with. */
const statusByWords: [RegExp, number][] = [
  [/context.{0,10}length|too (long|large)|maximum context|string_above_max_length/, 413],
  [/rate.?limit|quota|overloaded|capacity|too.many.requests|throttl/, 429],
  [/api.?key|unauthori[sz]ed|authenticat|permission|forbidden|billing|credit/, 401],
  [/time.?out/, 504],
  [/unavailable|server.?error|internal|upstream|bad.?gateway|provider returned/, 503],
  [/invalid.?request|not.?found|not.?exist|unsupported|bad.?request/, 400],
];

/** The status that an error within an answer with status 200 should have had; null: it does not say. */
export function statusOf(error: Fields): number | null {
  const { code, status, status_code: statusCode, type, message } = error;
  for (const each of [code, status, statusCode]) {
    const number = Number(each);
    if (each !== null && Number.isInteger(number) && number >= 400 && number < 600) return number;
  }
  const words = [code, status, type, message]
    .filter((each) => typeof each === 'string')
    .join(' ')
    .toLowerCase();
  return statusByWords.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}
