import {
  isJsonObject,
  type JsonObject,
  kindOf,
  parseJson,
  parseKeepingNumbers,
  platformCallRefused,
} from '#libs/adapter-sdk';
import type { EgressError, EgressResponse } from '#libs/egress';

/** Statuses that mean that nothing was done with the request. */
const notActedUpon = new Set([429, 503]);
const maxTypeLength = 100;
const wrongSecret =
  'the adapter does not accept the signature of the platform. Give it and the adapter-gateway the same GATEHOUSE_ADAPTER_SECRET';

/**
 * The JSON object that an adapter answered (spec 7). A number that a double would change is its digits as text.
 * @throws AdapterError `contract_violation`, naming the route and what came instead
 */
export function jsonAnswer(answer: EgressResponse, path: string): JsonObject {
  const violation = (what: string): AdapterError =>
    new AdapterError('contract_violation', `${path} answered ${what}`, false);
  const text = textOf(answer);
  if (text.trim() === '') throw violation(`${answer.status} without a body, not a JSON object`);
  const type = String(answer.headers['content-type'] ?? '');
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw violation(type === '' ? 'without a content type' : `${type.slice(0, maxTypeLength)}, not application/json`);
  }
  const value = parseJson(text, parseKeepingNumbers);
  if (isJsonObject(value)) return value;
  throw violation(value === undefined ? 'a body that is not valid JSON' : `${kindOf(value)}, not a JSON object`);
}

/**
 * @throws AdapterError `provider_unavailable` unless the status is 2xx, with the adapter's `Retry-After` and its answer
 */
export function requireSuccess(answer: EgressResponse, path: string): void {
  const { status, headers } = answer;
  if (status >= 200 && status <= 299) return;
  const notSent = status < 500 || notActedUpon.has(status);
  const body = parseJson(textOf(answer), parseKeepingNumbers);
  const failed = { status, body: isJsonObject(body) ? body : null, words: wordsIn(answer, body) };
  const what = `${path} answered ${status}${refusesPlatform(failed) ? `: ${wrongSecret}` : ''}`;
  throw new AdapterError('provider_unavailable', what, notSent, {
    retryAfterMs: readRetryAfter(headers['retry-after']),
    answer: failed,
  });
}

/** The names under which frameworks say what is wrong, as a text or within what they hold. */
const wordNames = ['message', 'error', 'detail', 'msg', 'title', 'errors', 'error_description'];
const maxWords = 1_000;

/** What an answer says to a person: in one of those fields, or as plain text. A page of HTML says nothing. */
function wordsIn(answer: EgressResponse, body: unknown): string | null {
  const isText = /^text\/plain\s*(;|$)/i.test(String(answer.headers['content-type'] ?? ''));
  const words = wordsOf(body, 3) ?? (isText ? filled(textOf(answer)) : null);
  return words?.toWellFormed().slice(0, maxWords) ?? null;
}

function wordsOf(value: unknown, levels: number): string | null {
  if (levels === 0) return null;
  const held: unknown[] = Array.isArray(value)
    ? value
    : isJsonObject(value)
      ? wordNames.map((name) => value[name])
      : [];
  // What is said itself comes before what lists say.
  const direct = held.map(filled).find((text) => text !== null);
  return direct ?? held.map((each) => wordsOf(each, levels - 1)).find((text) => text !== null) ?? null;
}

function filled(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** Some frameworks write a byte order mark before their JSON (RFC 8259, 8.1: it may be ignored). */
function textOf({ body }: EgressResponse): string {
  return body.toString('utf8').replace(/^\ufeff/, '');
}

export function adapterErrorOf(error: EgressError, path: string): AdapterError {
  if (error.code === 'response_too_large') {
    return new AdapterError('contract_violation', `${path}: ${error.message}`, false);
  }
  const code = error.code === 'timeout' ? 'timeout' : 'provider_unavailable';
  return new AdapterError(code, `${path}: ${error.message}`, !error.sent);
}

const maxRetryAfterMs = 3_600_000;

/** `Retry-After` (RFC 9110) in ms: seconds or an HTTP date; null when absent or unreadable. Capped at an hour. */
export function readRetryAfter(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (!text) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

export type AdapterErrorCode = 'provider_unavailable' | 'contract_violation' | 'timeout';

/** An HTTP answer with a status other than 2xx. */
export interface FailedAnswer {
  status: number;
  /** Null when it is not a JSON object. */
  body: JsonObject | null;
  /** What it says to a person; null when it says nothing. */
  words: string | null;
}

interface Facts {
  /** The adapter's own `Retry-After`, in ms. */
  retryAfterMs?: number | null;
  answer?: FailedAnswer;
  /** The call was the trial of an adapter known to fail: its failure says nothing about the request. */
  onTrial?: boolean;
}

/** Statuses below 500 that say something about this moment, not about the request. */
const momentary = new Set([408, 425, 429]);

/** A call to an adapter that gave no valid answer. A retry after a `contract_violation` gives the same. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly retryAfterMs: number | null;
  /** What it answered with a status other than 2xx; null when it gave no answer, or a 2xx. */
  readonly answer: FailedAnswer | null;
  readonly onTrial: boolean;

  constructor(
    readonly code: AdapterErrorCode,
    message: string,
    /** False when the adapter may have acted on the call: its answer was lost. */
    readonly notSent: boolean,
    { retryAfterMs = null, answer, onTrial = false }: Facts = {},
  ) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.answer = answer ?? null;
    this.onTrial = onTrial;
  }

  /** The same failure, with more words. */
  saying(words: string): AdapterError {
    const { code, message, notSent, retryAfterMs, answer, onTrial } = this;
    const facts = { retryAfterMs, onTrial, ...(answer ? { answer } : {}) };
    return new AdapterError(code, `${message}: ${words}`, notSent, facts);
  }

  /** The adapter refused this request with a 4xx: the same request gives the same again. Null otherwise. */
  get refusal(): FailedAnswer | null {
    const { answer } = this;
    if (answer === null || this.retryAfterMs !== null || momentary.has(answer.status)) return null;
    if (refusesPlatform(answer)) return null;
    return answer.status >= 400 && answer.status < 500 ? answer : null;
  }

  /** The adapter does not have this route: a 501, or a 404 that is no answer of the contract. */
  get lacksRoute(): boolean {
    if (this.retryAfterMs !== null) return false;
    return this.answer?.status === 501 || (this.answer?.status === 404 && this.answer.body?.['ok'] === undefined);
  }
}

/** The adapter does not accept the platform's own signature: that says nothing about the request that was sent. */
export function refusesPlatform({ status, body }: Pick<FailedAnswer, 'status' | 'body'>): boolean {
  const message = body?.['message'];
  const given = body?.['ok'] !== undefined;
  return status === 401 && !given && typeof message === 'string' && message.startsWith(platformCallRefused);
}
