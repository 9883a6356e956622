import {
  dedupKeyOf,
  derivedId,
  type MessageRoutePayload,
  type NormalizedMessage,
  type ReplyTarget,
  type RequestFacts,
  type TextFrom,
} from '#libs/contracts';
import { type JsonValue, sanitize, sanitizeFileName, type SanitizerReport, sanitizeValue } from '#libs/sanitizer';
import { createHash } from 'node:crypto';
import type { MessageRow } from '../../entities/message.entity.js';

/** How a receipt arrived, for its timeline; the messages of one receipt share it. */
export interface Arrival {
  job: MessageRoutePayload;
  attempt: number;
  startedMs: number;
  messages: number;
  /** The service that its earlier entries are from; absent: the gateway, which parses. */
  from?: 'adapter-gateway' | 'router';
}

/** A message during routing, before it is decided. */
export interface Draft extends Pick<
  MessageRoutePayload,
  'organization_id' | 'project_id' | 'app_id' | 'receipt_id' | 'app_kind'
> {
  messageId: string;
  dedupKey: string;
  verified: boolean;
  /** For the built-in Webhook app: whether the sending system wrote the text. */
  textFrom: TextFrom;
  /** Who requested it over the API, `key:<id>` or `user:<id>`; null: only its sender did. */
  startedBy: string | null;
  /** As it will be stored: sanitised. */
  message: NormalizedMessage;
  /** What filters may read of the request; null: it came by none, or from an earlier release. */
  request: RequestFacts | null;
  reply: ReplyTarget;
  /** The sender as an address, unsanitised; null when nobody can be answered. */
  sender: string | null;
  /** Whether the App can deliver anything. */
  appSends: boolean;
  /** The only workflow to run, named by the message or by an API caller. */
  workflowId: number | undefined;
  /** The only agent to run, named by an API caller for a replay. */
  agentId: string | undefined;
  sanitizerReport: Record<string, unknown> | null;
  /** Why the sanitiser could not clean it; null when it could. */
  unsanitisable: string | null;
  /** A person released it: neither guards nor the rules for unknown senders apply again. */
  released: boolean;
  /** A person's replay: its runs are marked. */
  replay: boolean;
  /** The run that a replay repeats. */
  replayOf: string | null;
  /** How it arrived; null when no receipt ends with it. */
  arrival: Arrival | null;
  /** Its place in its App's order until its turn is stored; null: it has none. */
  place: string | null;
  /** Whether its commit has to be on disk when it returns, because a caller is answered then. */
  durable: boolean;
  /** False: nothing is sent back. */
  deliver: boolean;
}

/**
 * A message that has just arrived. @param index its position in the receipt, which names it when it has no dedup key
 */
export function newDraft(
  job: MessageRoutePayload,
  raw: NormalizedMessage,
  index: number,
  arrival: Arrival | null = null,
): Draft {
  const { message, report, unsanitisable } = sanitiseMessage(raw);
  return {
    organization_id: job.organization_id,
    project_id: job.project_id,
    app_id: job.app_id,
    app_kind: job.app_kind,
    receipt_id: job.receipt_id,
    messageId: derivedId('msg', job.receipt_id, 'message', index),
    dedupKey: dedupKeyOf(job.receipt_id, raw, index),
    verified: job.verified_scheme !== 'none',
    textFrom: job.text_from ?? 'people',
    startedBy: null,
    message,
    request: requestOf(job),
    reply: {
      ...replyTargetOf(job.app_id, raw),
      ...(job.app_types ? { typing: true } : {}),
      ...(job.app_sends_files ? { files: true } : {}),
      ...(job.app_interim ? { interim: job.app_interim } : {}),
    },
    sender: senderAddressOf(raw),
    appSends: job.app_sends ?? true,
    workflowId: raw.workflow_id,
    agentId: undefined,
    sanitizerReport: report,
    unsanitisable,
    released: false,
    replay: false,
    replayOf: null,
    arrival,
    place: arrival && placeOf(job.receipt_id, index),
    durable: false,
    deliver: true,
  };
}

/** People read a value in the verdict of a filter, so it is cleaned like the message. */
function requestOf({ request }: MessageRoutePayload): RequestFacts | null {
  if (!request) return null;
  const clean = (values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map((pair) => pair.map(cleaned) as [string, string]));
  return { headers: clean(request.headers), query: clean(request.query) };
}

const plain = /^[\w .,:;/+=@*()'"-]*$/;

/** Almost every value has nothing to clean. */
function cleaned(text: string): string {
  return plain.test(text) ? text : sanitize(text).text;
}

/** The first message uses the receipt's own place, each further one a place after it. */
function placeOf(receiptId: string, index: number): string {
  return index === 0 ? receiptId : `${receiptId}/${String(index).padStart(6, '0')}`;
}

/** A stored message, to be routed again. */
export function draftOf(
  row: MessageRow,
  options: Pick<Draft, 'replay' | 'deliver' | 'startedBy'> & {
    workflowId?: number;
    agentId?: string;
    replayOf?: string;
  },
): Draft {
  return {
    ...options,
    organization_id: row.organization_id,
    project_id: row.project_id,
    app_id: row.app_id,
    app_kind: row.app_kind,
    receipt_id: row.receipt_id,
    messageId: row.id,
    dedupKey: '',
    verified: row.verified,
    textFrom: row.text_from,
    message: row.message,
    request: row.request,
    reply: replyTargetOf(row.app_id, row.message),
    sender: senderAddressOf(row.message),
    appSends: row.app_sends,
    // A target named by a person replaces the one named by the message.
    workflowId: options.workflowId ?? (options.agentId === undefined ? row.message.workflow_id : undefined),
    agentId: options.agentId,
    replayOf: options.replayOf ?? null,
    sanitizerReport: null,
    unsanitisable: null,
    arrival: null,
    place: null,
    durable: true,
    released: true,
  };
}

const addressField = 'channel_address';

/**
 * Where a message wants its reply; the address may be missing. Takes the message unsanitised: what the provider gave
 * for its own use goes back unchanged.
 */
export function replyTargetOf(appId: string, { metadata = {}, thread_id, origin }: NormalizedMessage): ReplyTarget {
  return {
    app_id: appId,
    channel_address: textOf(metadata[addressField]),
    thread_id: thread_id ?? null,
    reply_context: metadata['reply_context'] ?? null,
    ...(origin ? { hops: origin.hops } : {}),
  };
}

/**
 * The sender as an address, unsanitised; null when the adapter says, by a null address, that nobody can be answered.
 */
export function senderAddressOf({ sender, metadata }: NormalizedMessage): string | null {
  return metadata?.[addressField] === null ? null : textOf(sender);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** For the short fields: in UTF-8 they have to fit an index entry of Postgres. */
const maxShortChars = 480;
/**
 * Metadata is not cut here: filters, tools, replays and people read all of it, and the gateway has bounded its depth
 * and size. What the model sees is cut where it is shown.
 */
const whole = {
  maxDepth: 1_000,
  maxEntries: Number.POSITIVE_INFINITY,
  maxChars: Number.MAX_SAFE_INTEGER,
  maxLines: Number.MAX_SAFE_INTEGER,
};
const nameFields = ['name', 'filename', 'file_name'];

interface SanitisedMessage {
  message: NormalizedMessage;
  /** What was done to each field; null when nothing was. */
  report: Record<string, SanitizerReport> | null;
  /** Why the message must not reach a model, or null. */
  unsanitisable: string | null;
}

/** An event's type as messages have it, so that a rule compares the same text. */
export function sanitiseEventType(type: string): string {
  return sanitize(type, { maxChars: maxShortChars }).text;
}

/** Makes everything in a message that its sender wrote safe to read. */
function sanitiseMessage(raw: NormalizedMessage): SanitisedMessage {
  const reports: Record<string, SanitizerReport> = {};
  const keep = <T>(field: string, value: T, report: SanitizerReport): T => {
    if (Object.keys(report.counts).length > 0 || report.cut > 0 || !report.settled) reports[field] = report;
    return value;
  };
  const text = (field: string, value: string, maxChars?: number): string => {
    const clean = sanitize(value, maxChars === undefined ? {} : { maxChars });
    return keep(field, clean.text, clean.report);
  };
  const metadata = raw.metadata && sanitizeValue(raw.metadata, whole);
  const message: NormalizedMessage = {
    ...raw,
    event_type: text('event_type', raw.event_type, maxShortChars),
    sender: distinct(raw.sender, text('sender', raw.sender, maxShortChars)),
    message: text('message', raw.message),
    ...(raw.dedup_key === undefined ? {} : { dedup_key: storableKey(raw.dedup_key) }),
    ...(raw.thread_id === undefined
      ? {}
      : { thread_id: distinct(raw.thread_id, text('thread_id', raw.thread_id, maxShortChars)) }),
    ...(metadata ? { metadata: safeMetadata(keep('metadata', metadata.value, metadata.report)) } : {}),
  };
  const changed = Object.keys(reports);
  const unsettled = changed.filter((field) => reports[field]?.settled === false);
  return {
    message,
    report: changed.length > 0 ? reports : null,
    unsanitisable: unsettled.length > 0 ? `did not settle: ${unsettled.join(', ')}` : null,
  };
}

/** A key is compared, and shown only to people who look for it, so it only has to be storable in Postgres. */
function storableKey(key: string): string {
  return distinct(key, key.replaceAll('\0', '\ufffd').slice(0, maxShortChars).toWellFormed());
}

/** Names that look the same after cleaning stay distinct: nobody becomes a known contact by an invisible character. */
function distinct(raw: string, clean: string): string {
  return raw === clean ? clean : `${clean} (${createHash('sha256').update(raw).digest('hex').slice(0, 12)})`;
}

/** Without what only Gatehouse says: that a message is erased, and what a model heard. */
function safeMetadata(value: JsonValue): Record<string, unknown> {
  const { erased: _erased, transcripts: _transcripts, ...metadata } = isObject(value) ? value : {};
  const { attachments } = metadata;
  if (!Array.isArray(attachments)) return metadata;
  return { ...metadata, attachments: attachments.map((each) => (isObject(each) ? withSafeName(each) : each)) };
}

function withSafeName(attachment: Record<string, JsonValue>): Record<string, JsonValue> {
  const safe = Object.entries(attachment).map(([field, value]): [string, JsonValue] => [
    field,
    nameFields.includes(field) && typeof value === 'string' ? sanitizeFileName(value).name : value,
  ]);
  return Object.fromEntries(safe);
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
