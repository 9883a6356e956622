import { isJsonObject, type JsonObject } from './json-value.js';
import { aText, aWholeNumber, fieldProblems, kindOf, oneOf } from './typed-field.js';

/** Possible names of the field that holds the file as base64. The contract does not show one (contract 4.1). */
export const FILE_CONTENT_FIELDS = ['content_base64', 'content', 'data', 'bytes', 'base64'] as const;

/** A file that came as base64 in JSON, the error that came instead, or what is wrong with the answer. */
export type FileEnvelope =
  | { bytes: Buffer; content_type?: unknown; fingerprint?: unknown; access?: unknown }
  | { failure: JsonObject }
  | { problem: string };

const envelopeFields = { encoding: oneOf(['base64']), content_type: aText, size: aWholeNumber(0), fingerprint: aText };

const notTheEnvelope =
  `application/json has to be an object with the file as base64 in one of ${FILE_CONTENT_FIELDS.join(', ')}. ` +
  'A document that is JSON itself is sent in that form too, or as bytes with a Content-Disposition.';

/** Whether an answer of `/sources/fetch-file` is the contract's own JSON; otherwise its body is the file. */
export function isFileEnvelope(header: (name: string) => string | undefined): boolean {
  const isJson = /^application\/json\s*(;|$)/i.test(header('content-type') ?? '');
  return isJson && header('content-disposition') === undefined;
}

/** Reads the JSON of an answer of `/sources/fetch-file`: an object with the file as base64, or only the base64. */
export function readFileEnvelope(value: unknown): FileEnvelope {
  if (typeof value === 'string') return decoded(value);
  if (!isJsonObject(value)) return { problem: `${notTheEnvelope} It is ${kindOf(value)}.` };
  // A null field counts as absent: some languages write it so.
  const given: JsonObject = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
  const named = FILE_CONTENT_FIELDS.filter((field) => given[field] !== undefined);
  const failed = given.ok === false || (given.ok === undefined && typeof given.error === 'string');
  if (failed && named.length === 0) return { failure: given };
  const [name] = named;
  if (name === undefined || named.length > 1) {
    const fields = Object.keys(given).slice(0, 10).join(', ') || 'none';
    return { problem: `${notTheEnvelope} The fields of this one are: ${fields}.` };
  }
  const [wrong] = fieldProblems(given, { [name]: aText }, envelopeFields);
  if (wrong) return { problem: `${wrong.field} ${wrong.message}` };
  const { content_type, size, fingerprint, access } = given;
  const file = decoded(String(given[name]));
  if ('problem' in file) return file;
  if (size !== undefined && size !== file.bytes.length) {
    return { problem: `size is ${JSON.stringify(size)}, but the content has ${file.bytes.length} bytes` };
  }
  return { ...file, content_type, fingerprint, access };
}

/** Base64 in the standard or URL-safe alphabet, with or without line breaks and padding. Other text is not a file. */
function decoded(text: string): { bytes: Buffer } | { problem: string } {
  const packed = text.replace(/\r?\n/g, '');
  const digits = packed
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  const bytes = Buffer.from(digits, 'base64');
  const padded = packed.endsWith('=');
  const whole = !padded || packed.length % 4 === 0;
  // Whatever Buffer drops or reads leniently does not survive the round trip.
  if (!whole || bytes.toString('base64').replace(/=+$/, '') !== digits) return { problem: 'the content is not base64' };
  return { bytes };
}
