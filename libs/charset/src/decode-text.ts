import { declaredCharsets, type DeclaredCharset, markedEncoding } from './declared-charset.js';
import { decoderOf } from './encodings.js';

/** What came with the bytes. */
export interface TextSource {
  /** The header as it was sent. */
  contentType?: string | readonly string[] | undefined;
  /** The end is missing: the cut may fall inside a character, which is dropped. */
  truncated?: boolean;
}

export interface DecodedText {
  text: string;
  /** The name of the encoding, as the WHATWG Encoding Standard writes it, or else as IANA does. */
  charset: string;
  /** False: letters may be missing or wrong. */
  exact: boolean;
  /** What a reader has to know: a charset that is unknown or wrong, a guess. */
  note: string | null;
}

/**
 * Bytes as text, in the charset that they are in: a byte order mark, then the header's, the document's own, UTF-8. A
 * label that is unknown, or that the bytes contradict, is passed over, and the note says so.
 * @returns null when the bytes are not text
 */
export function decodeText(bytes: Uint8Array, { contentType, truncated = false }: TextSource = {}): DecodedText | null {
  const type = (typeof contentType === 'string' ? contentType : contentType?.join('; ')) ?? '';
  if (Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-') return null;
  const read = (label: string, fatal = true): Read | null => readAs(bytes, { label, fatal, truncated });
  const marked = markedEncoding(bytes);
  const byMark = marked === null ? null : read(marked);
  if (byMark) return exactly(byMark, null);
  const declared = marked === null ? declaredCharsets(bytes, type) : [{ label: marked, by: 'its byte order mark' }];
  const utf8 = read('utf-8');
  let note: string | null = null;
  for (const each of declared) {
    const encoding = encodingOf(each.label);
    if (encoding === null) {
      note ??= unknown(each);
      continue;
    }
    const isUtf8 = utf8 !== null && (encoding === 'utf-8' || isRatherUtf8(bytes, utf8.text, encoding));
    const exact = isUtf8 ? utf8 : encoding === 'utf-8' ? null : read(orderOf(each.label, bytes));
    if (exact?.charset !== encoding && !exact?.charset.endsWith('be')) note ??= contradicted(each);
    if (exact) return exactly(exact, note);
  }
  return utf8 ? exactly(utf8, note) : damaged({ type, note, declared, read });
}

interface Read {
  text: string;
  charset: string;
}

function readAs(
  bytes: Uint8Array,
  { label, fatal, truncated }: { label: string; fatal: boolean; truncated: boolean },
): Read | null {
  const decoder = decoderOf(label, fatal);
  if (!decoder) return null;
  try {
    return { text: decoder.decode(bytes, { stream: truncated }), charset: decoder.encoding };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function exactly(read: Read, note: string | null): DecodedText | null {
  return isBinary(read) ? null : { ...read, exact: true, note: note && `${note} It was read as ${read.charset}.` };
}

/** Text in which bytes are wrong, or that says nothing of its charset. */
function damaged({ type, note, declared, read }: Unclear): DecodedText | null {
  if (declared.length === 0 && !isTextual(type)) return null;
  const known = declared.find(({ label }) => encodingOf(label) !== null)?.label ?? 'utf-8';
  const loose = read(known, false);
  if (loose && !isBinary(loose) && isMostlyWhole(loose.text)) {
    return { ...loose, exact: false, note: `Bytes that are not ${loose.charset} are shown as U+FFFD.` };
  }
  const guess = read('windows-1252');
  if (!guess || isBinary(guess)) return null;
  const why = note ?? 'The text does not say its charset and is not UTF-8.';
  return { ...guess, exact: false, note: `${why} It was read as windows-1252, so letters may be wrong.` };
}

interface Unclear {
  type: string;
  note: string | null;
  declared: DeclaredCharset[];
  read(label: string, fatal?: boolean): Read | null;
}

/** Binary data that happens to decode is not text. */
function isBinary({ text, charset }: Read): boolean {
  if (text.includes('\0') || charset === 'utf-8') return text.includes('\0');
  for (let at = 0; at < text.length; at++) if (isBinaryCode(text.charCodeAt(at))) return true;
  return false;
}

/** A control character that is neither white space nor ESC. */
function isBinaryCode(code: number): boolean {
  return code < 32 && (code < 9 || code > 13) && code !== 27;
}

function isMostlyWhole(text: string): boolean {
  const lost = text.match(/\ufffd/g)?.length ?? 0;
  const whole = (text.match(/[^\0-\x7f]/gu)?.length ?? 0) - lost;
  return whole > lost;
}

function isTextual(type: string): boolean {
  return /^\s*(text\/|application\/([\w.-]+\+)?(xml|json|javascript|x-javascript|x-ndjson|yaml|x-yaml)\b)/i.test(type);
}

/** Encodings in which letters have the values of UTF-8's continuation bytes: short texts of them are UTF-8 by chance. */
const sparse = /^(windows-125[0-57-8]|iso-8859-|koi8-)/;

/** Whether the bytes contradict what is declared, since they make sense as UTF-8 and hardly as that. */
function isRatherUtf8(bytes: Uint8Array, text: string, encoding: string): boolean {
  if (/^utf-(16|32)/.test(encoding)) return !bytes.includes(0);
  const needed = sparse.test(encoding) ? 1 : 4;
  let weight = 0;
  for (const [character] of text.matchAll(/[^\0-\x7f]/gu)) {
    weight += character > '\u07ff' ? 2 : 1;
    if (weight >= needed) return true;
  }
  return false;
}

/** UTF-16 or UTF-32 that does not say its order and begins with a zero byte has the other one. */
function orderOf(label: string, bytes: Uint8Array): string {
  const encoding = encodingOf(label);
  if (!encoding?.endsWith('le') || /le\s*$/i.test(label) || bytes[0] !== 0) return label;
  return encoding.replace(/le$/, 'be');
}

function unknown({ label, by }: DeclaredCharset): string {
  // The label comes from outside: only a plain one is repeated.
  const named = /^[\w.:-]{1,40}$/.test(label) ? `: ${label}` : '';
  return `The charset that ${by} names is unknown${named}.`;
}

function contradicted({ label, by }: DeclaredCharset): string {
  return `The text is not ${label}, as ${by} says.`;
}

/** @returns null for an unknown label */
function encodingOf(label: string): string | null {
  return decoderOf(label, false)?.encoding ?? null;
}
