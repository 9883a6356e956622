import type { CallContext, Credentials } from './call-context.js';
import { isJsonObject, type JsonObject } from './json-value.js';

/** Request of `/missed-since`. */
export interface MissedSinceCall {
  credentials: Credentials;
  /** Where the provider sends events. */
  webhook_url: string;
  /** When the door was closed, and when it was open again: ISO 8601. */
  since: string;
  until: string;
  /** Null at first; then that of the last answer that had `has_more`. */
  cursor: string | null;
  context: CallContext;
}

/** A webhook request as the provider would have sent it; the platform does not check its signature. */
export interface MissedRequest {
  /** Names the delivery: the same one is stored once, however often it is answered. */
  id: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  body: string;
  /** Default: utf8. */
  body_encoding?: 'utf8' | 'base64';
}

/**
 * Answer of `/missed-since`. `redeliveries`: deliveries that the provider was asked to send again, and sends to the
 * webhook. `requests`: those that were fetched instead. One of the two is there; an absent one is none. After `not_configured` the platform does not retry.
 */
export type MissedSinceResult =
  | { ok: true; redeliveries?: number; requests?: MissedRequest[]; cursor?: string; has_more?: boolean }
  | { ok: false; error: string; message?: string; retry_after?: number };

/** Requests of one answer; the rest comes with the cursor. */
export const MISSED_MAX_REQUESTS = 100;
export const MISSED_CURSOR_MAX_BYTES = 4_096;

export function isMissedRequest(value: unknown): value is MissedRequest {
  if (!isJsonObject(value)) return false;
  const { id, headers, query, body, body_encoding: encoding } = value;
  return (
    typeof id === 'string' &&
    id !== '' &&
    id.length <= 500 &&
    typeof body === 'string' &&
    (encoding === undefined || encoding === 'utf8' || encoding === 'base64') &&
    [headers, query].every(areTexts)
  );
}

function areTexts(value: unknown): boolean {
  return value === undefined || (isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string'));
}

/** What is wrong with an answer, or undefined. Names fields, never values. */
export function missedProblem(answer: JsonObject): string | undefined {
  const { ok, redeliveries: asked = 0, requests = [], cursor, has_more: more, error } = answer;
  if (ok === false) return typeof error === 'string' ? undefined : 'error must be a text';
  if (ok !== true) return 'ok must be true or false';
  if (answer['redeliveries'] === undefined && answer['requests'] === undefined)
    return 'redeliveries or requests must be there';
  if (!Number.isInteger(asked) || Number(asked) < 0) return 'redeliveries must be a whole number, 0 or more';
  if (!Array.isArray(requests)) return 'requests must be a list';
  if (requests.length > MISSED_MAX_REQUESTS) return `requests must have at most ${MISSED_MAX_REQUESTS} entries`;
  const wrong = requests.findIndex((each) => !isMissedRequest(each));
  if (wrong >= 0) return `requests[${wrong}] must have an id and a body; headers and query are objects of texts`;
  if (more !== undefined && typeof more !== 'boolean') return 'has_more must be true or false';
  if (cursor === undefined || cursor === null) return more === true ? 'has_more needs a cursor' : undefined;
  if (typeof cursor !== 'string') return 'cursor must be a text';
  return Buffer.byteLength(cursor) > MISSED_CURSOR_MAX_BYTES
    ? `cursor must have at most ${MISSED_CURSOR_MAX_BYTES} bytes`
    : undefined;
}
