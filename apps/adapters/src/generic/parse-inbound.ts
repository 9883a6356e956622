import { createHash } from 'node:crypto';
import {
  headerValue,
  ignoredMessage,
  isJsonObject,
  parseJson,
  parseKeepingNumbers,
  REPLY_CONTEXT_MAX_BYTES,
  stringifyJson,
  type InboundCall,
  type JsonObject,
  type MessageMetadata,
  type NormalizedMessage,
  wholeNumberAsText,
} from '#libs/adapter-sdk';
import { mappedText, mappedValue, readMapping, type FieldMapping } from './field-mapping.js';
import { type Origin, originOf } from './origin-marker.js';

/** Longer ids are replaced by their hash: the key goes into a database index, and the sender chooses the id. */
const MAX_ID_LENGTH = 200;

/** `generic:<account or ->:<id>`, with the account escaped so that no two pairs give the same key. */
function dedupKey(account: string | undefined, id: string): string {
  const scope = bounded(account ?? '-')
    .replaceAll('%', '%25')
    .replaceAll(':', '%3A');
  return `generic:${scope}:${bounded(id)}`;
}

function bounded(text: string): string {
  return text.length <= MAX_ID_LENGTH ? text : createHash('sha256').update(text).digest('hex');
}

/**
 * The normalized message of any body: JSON by its mapping, other text as the message itself, an empty one as `ignored`.
 */
export function parseGenericInbound(call: InboundCall): NormalizedMessage {
  const { request } = call;
  const origin = (document: unknown): Origin => originOf(request.headers, document);
  if (request.text.trim() === '') return ignored('empty_body', origin(undefined));
  const document = parseJson(request.text, parseKeepingNumbers);
  if (document === undefined || typeof document === 'string') {
    const text = typeof document === 'string' ? document : request.text;
    return text.trim() === '' ? ignored('empty_body', origin(undefined)) : parseText(text, call, origin(undefined));
  }
  const read = readMapping(call.credentials.mapping);
  if ('problem' in read) return ignored('invalid_mapping', origin(document));
  return parseDocument(document, read.mapping, call, origin(document));
}

function parseText(text: string, call: InboundCall, origin: Origin): NormalizedMessage {
  const id = headerValue(call.request.headers, 'webhook-id');
  return {
    event_type: 'message_received',
    sender: 'unknown',
    message: text,
    is_bot: origin.isSelf,
    metadata: {
      ...originMetadata(origin),
      channel_address: null,
      timestamp: call.receivedAt.toISOString(),
      ...(id && { message_id: id }),
    },
    ...(id && { dedup_key: dedupKey(undefined, id) }),
  };
}

function parseDocument(document: unknown, mapping: FieldMapping, call: InboundCall, origin: Origin): NormalizedMessage {
  const text = (field: Parameters<typeof mappedText>[2]): string | undefined => mappedText(document, mapping, field);
  const event = text('event_type');
  const message = messageText(document, mapping) ?? (event === undefined ? undefined : call.request.text);
  if (message === undefined) return ignored('no_message', origin);

  const id = text('dedup_key') ?? headerValue(call.request.headers, 'webhook-id');
  const account = text('account');
  const sender = readSender(document, mapping);
  const threadId = text('thread_id');
  const isDm = mappedValue(document, mapping, 'is_dm');
  const address = text('channel_address');
  const metadata: MessageMetadata = {
    ...senderMetadata(document, mapping),
    ...originMetadata(origin),
    // A sender's name is no address to post to.
    channel_address: address ?? null,
    timestamp: call.receivedAt.toISOString(),
    ...(event !== undefined && { raw_type: event }),
    ...(sender.detail && { sender: sender.detail }),
    ...(account !== undefined && { account }),
    ...(id !== undefined && { message_id: id, ...replyContext(id) }),
  };
  return {
    event_type: event ?? 'message_received',
    sender: sender.name,
    message,
    is_bot: origin.isSelf,
    metadata,
    ...(id !== undefined && { dedup_key: dedupKey(account, id) }),
    ...(threadId !== undefined && { thread_id: threadId }),
    ...(typeof isDm === 'boolean' && { is_dm: isDm }),
  };
}

function messageText(document: unknown, mapping: FieldMapping): string | undefined {
  const value = mappedValue(document, mapping, 'message');
  return typeof value === 'object' ? stringifyJson(value) : mappedText(document, mapping, 'message');
}

/** A sender is text, or an object with an id, a name and a mail address. */
function readSender(
  document: unknown,
  mapping: FieldMapping,
): { name: string; detail?: { id?: string; name?: string; email?: string } } {
  const value = mappedValue(document, mapping, 'sender');
  if (!isJsonObject(value)) return { name: mappedText(document, mapping, 'sender') ?? 'unknown' };
  const own = (field: 'id' | 'name' | 'email'): string | undefined => {
    const entry = wholeNumberAsText(value[field]);
    return typeof entry === 'string' || typeof entry === 'number' ? String(entry) : undefined;
  };
  const [id, name, email] = [own('id'), own('name'), own('email')];
  return {
    name: id ?? email ?? name ?? 'unknown',
    detail: { ...(id && { id }), ...(name && { name }), ...(email && { email }) },
  };
}

/** The sender's own metadata, unless it is nested too deeply to be written out again. */
function senderMetadata(document: unknown, mapping: FieldMapping): JsonObject {
  const value = mappedValue(document, mapping, 'metadata');
  return isJsonObject(value) && stringifyJson(value) !== undefined ? withoutOwnFields(value) : {};
}

/** A sender's values under these names must not pass for what the adapter found out. */
const OWN_FIELDS = [
  'messages',
  'reply_context',
  'channel_address',
  'account',
  'message_id',
  'sender',
  'raw_type',
  'origin_marker',
];

function withoutOwnFields(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => !OWN_FIELDS.includes(field)));
}

function replyContext(messageId: string): { reply_context?: { message_id: string } } {
  const context = { message_id: messageId };
  return Buffer.byteLength(JSON.stringify(context)) > REPLY_CONTEXT_MAX_BYTES ? {} : { reply_context: context };
}

function ignored(reason: string, origin: Origin): NormalizedMessage {
  return { ...ignoredMessage(reason, originMetadata(origin)), is_bot: origin.isSelf };
}

function originMetadata({ isSelf, marker }: Origin): MessageMetadata {
  return { is_self: isSelf, ...(marker !== undefined && { origin_marker: marker }) };
}
