import type { Credentials } from './call-context.js';
import {
  deliverFailure,
  type DeliverFailure,
  type DeliverRequest,
  type LookupCall,
  type MessageAttachment,
} from './delivery.js';
import { isContainedPath, type FetchFileCall, type ListChangesCall } from './document-sources.js';
import type { FormatCall } from './formatting.js';
import type { IndicateCall } from './indication.js';
import { InvalidRequest } from './invalid-request.js';
import { isJsonObject, type JsonObject } from './json-value.js';
import type { MessageFormat } from './manifest.js';
import type { MissedSinceCall } from './missed-since.js';
import { isOriginMarker } from './origin-marker.js';
import { readActions } from './outgoing-actions.js';
import type { PollCall } from './polling.js';
import type { RenewWebhookCall } from './webhook-renewal.js';

type WithoutContext<T> = Omit<T, 'context'>;
const FORMATS: readonly MessageFormat[] = ['markdown', 'plain', 'native'];

export function readCredentials(body: JsonObject): Credentials {
  const { credentials } = body;
  if (credentials === undefined || credentials === null) return {};
  if (!isJsonObject(credentials)) throw new InvalidRequest('credentials must be an object');
  return credentials;
}

/**
 * A malformed delivery is the failure `invalid_request` in a 200, not an HTTP error: callers treat any other status as
 * a provider that is down, and would send the same thing again.
 */
export function readDelivery(body: JsonObject): DeliverRequest | DeliverFailure {
  const { message, channel_address, from_part, idempotency_key, origin_marker } = body;
  const refuse = (reason: string): DeliverFailure => deliverFailure('invalid_request', reason);
  if (typeof channel_address !== 'string' || channel_address === '') return refuse('channel_address is required');
  if (!isJsonObject(message) || typeof message.text !== 'string') return refuse('message.text is required');
  if (from_part !== undefined && from_part !== null && !isIndex(from_part)) {
    return refuse('from_part must be a whole number, 0 or more');
  }
  const format = FORMATS.find((known) => known === message.format);
  if (typeof message.format === 'string' && !format) {
    return deliverFailure('unsupported', `message.format must be one of ${FORMATS.join(', ')}`);
  }
  const actions = message.actions === undefined || message.actions === null ? [] : readActions(message.actions);
  if (typeof actions === 'string') return refuse(`message.actions${actions.startsWith('[') ? '' : ' '}${actions}`);
  return {
    credentials: readCredentials(body),
    channel_address,
    message: {
      text: message.text,
      ...threadOf(message),
      ...(format && { format }),
      ...(typeof message.subject === 'string' && { subject: message.subject }),
      ...(Array.isArray(message.attachments) && { attachments: message.attachments.filter(isAttachment) }),
      ...(message.reply_context !== undefined && { reply_context: message.reply_context }),
      ...(isFilled(message.edit_of) && { edit_of: message.edit_of }),
      ...(actions.length > 0 && { actions }),
      ...(isFilled(message.reaction_to) && { reaction_to: message.reaction_to }),
      ...(isFilled(message.reaction) && { reaction: message.reaction }),
    },
    ...(typeof idempotency_key === 'string' && { idempotency_key }),
    ...(isIndex(from_part) && { from_part }),
    ...(isOriginMarker(origin_marker) && { origin_marker }),
  };
}

export function readLookup(body: JsonObject): WithoutContext<LookupCall> {
  return {
    credentials: readCredentials(body),
    idempotency_key: requiredText(body, 'idempotency_key'),
    channel_address: requiredText(body, 'channel_address'),
    ...threadOf(body),
  };
}

export function readFormat(body: JsonObject): WithoutContext<FormatCall> {
  const { text, mode, max_length } = body;
  if (typeof text !== 'string') throw new InvalidRequest('text must be a string');
  if (max_length !== undefined && max_length !== null && !(isIndex(max_length) && max_length > 0)) {
    throw new InvalidRequest('max_length must be a whole number, 1 or more');
  }
  return {
    credentials: readCredentials(body),
    text,
    mode: mode === 'plain' ? 'plain' : 'rich',
    ...(isIndex(max_length) && { max_length }),
  };
}

export function readListChanges(body: JsonObject): WithoutContext<ListChangesCall> {
  return {
    credentials: readCredentials(body),
    resource_path: requiredText(body, 'resource_path'),
    cursor: typeof body.cursor === 'string' ? body.cursor : null,
  };
}

export function readFetchFile(body: JsonObject): WithoutContext<FetchFileCall> {
  const file_path = requiredText(body, 'file_path');
  if (!isContainedPath(file_path)) throw new InvalidRequest('file_path must stay under resource_path');
  return { credentials: readCredentials(body), resource_path: requiredText(body, 'resource_path'), file_path };
}

export function readRenewal(body: JsonObject): WithoutContext<RenewWebhookCall> {
  return { credentials: readCredentials(body), webhook_url: requiredText(body, 'webhook_url') };
}

export function readMissedSince(body: JsonObject): WithoutContext<MissedSinceCall> {
  const { cursor } = body;
  const time = (field: string): string => {
    const text = requiredText(body, field);
    if (Number.isNaN(Date.parse(text))) throw new InvalidRequest(`${field} must be a time in ISO 8601`);
    return text;
  };
  return {
    credentials: readCredentials(body),
    webhook_url: requiredText(body, 'webhook_url'),
    since: time('since'),
    until: time('until'),
    cursor: typeof cursor === 'string' ? cursor : null,
  };
}

export function readPoll(body: JsonObject): WithoutContext<PollCall> {
  const { cursor, wait_seconds: wait } = body;
  if (cursor !== undefined && cursor !== null && typeof cursor !== 'string') {
    throw new InvalidRequest('cursor must be a text, or absent');
  }
  if (typeof wait !== 'number' || !(wait >= 0)) throw new InvalidRequest('wait_seconds must be a number of seconds');
  return {
    credentials: readCredentials(body),
    ...(typeof cursor === 'string' && { cursor }),
    wait_seconds: wait,
  };
}
export function readIndication(body: JsonObject): WithoutContext<IndicateCall> {
  const { state } = body;
  if (state !== 'working' && state !== 'done') throw new InvalidRequest('state must be working or done');
  return {
    credentials: readCredentials(body),
    channel_address: requiredText(body, 'channel_address'),
    ...threadOf(body),
    ...(typeof body.message_id === 'string' && body.message_id !== '' && { message_id: body.message_id }),
    state,
  };
}

/** An empty text is no thread: the contract's `thread_id` is a text in every delivery. */
function threadOf({ thread_id }: JsonObject): { thread_id?: string } {
  return typeof thread_id === 'string' && thread_id !== '' ? { thread_id } : {};
}

function requiredText(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new InvalidRequest(`${name} must be a string`);
  return value;
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isAttachment(value: unknown): value is MessageAttachment {
  return isJsonObject(value);
}
