import { Secret } from '../sealing/secret.js';

const namePattern = /^[A-Za-z_][\w.-]{0,63}$/;
/** What may be one more secret does not reach adapters and tools by the way. */
const secretive = /token|secret|key|signature|passw|assertion/i;
/** Ours, those of RFC 6749 and its kin, and those by which a consumer knows how and where to send a credential. */
const reserved = new Set([
  'client_id',
  'scope',
  'expires',
  'expires_in',
  'expires_at',
  'refresh_expires_in',
  'error',
  'error_code',
  'error_description',
  'error_uri',
  'state',
  'code',
  'hosts',
  'header',
  'scheme',
  'username',
  'value',
]);
const maxFields = 20;
const maxValueBytes = 2_048;

/** Whether a field of a token answer may be kept under this name, such as `instance_url`. */
export function isAnswerField(name: string): boolean {
  return namePattern.test(name) && !secretive.test(name) && !reserved.has(name.toLowerCase()) && !(name in {});
}

/** What an answer brings besides tokens: its texts and numbers, as many and as long as are kept. */
export function answerFieldsOf(answer: Readonly<Record<string, unknown>>): Map<string, Secret> {
  const fields = new Map<string, Secret>();
  for (const [name, value] of Object.entries(answer)) {
    const text = textOf(value);
    if (text !== null && isAnswerField(name) && fields.size < maxFields) fields.set(name, new Secret(text));
  }
  return fields;
}

/** After a refresh: an answer repeats few of them. */
export function mergedFields(
  before: ReadonlyMap<string, Secret>,
  after: ReadonlyMap<string, Secret>,
): Map<string, Secret> {
  const merged = new Map(after);
  for (const [name, value] of before) if (!merged.has(name) && merged.size < maxFields) merged.set(name, value);
  return merged;
}

/** A number that has lost digits is none. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? null : String(value);
  if (typeof value !== 'string' || !value.isWellFormed() || /\p{Cc}/u.test(value)) return null;
  return Buffer.byteLength(value) <= maxValueBytes ? value : null;
}
