import type { NormalizedMessage } from '#libs/contracts';
import { type JsonValue, sanitize, sanitizeFileName, type SanitizerReport, sanitizeValue } from '#libs/sanitizer';
import { createHash } from 'node:crypto';

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

export interface SanitisedMessage {
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
export function sanitiseMessage(raw: NormalizedMessage): SanitisedMessage {
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
    ...(metadata ? { metadata: withFileNames(keep('metadata', metadata.value, metadata.report)) } : {}),
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

function withFileNames(value: JsonValue): Record<string, unknown> {
  const metadata = isObject(value) ? value : {};
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
