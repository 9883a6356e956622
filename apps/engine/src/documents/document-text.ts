import { decodeText } from '#libs/charset';
import { sanitize } from '#libs/sanitizer';

export type DocumentRefusal = 'not_text' | 'too_large' | 'unreadable';
export type ReadDocument = { text: string; note: string | null } | { refused: DocumentRefusal };

/**
 * The text of bytes that are text: sanitised, and HTML as its visible text. The bytes decide whether it is text, since
 * providers often declare wrong types. Text whose letters would be guessed is refused: it would pass for the file's.
 * @param maxChars a longer text is refused, since a part would pass for the whole
 */
export function documentText(bytes: Buffer, contentType: string, path: string, maxChars: number): ReadDocument {
  const read = decodeText(bytes, { contentType });
  if (!read?.exact) return { refused: 'not_text' };
  const isHtml = /^(text\/html|application\/xhtml\+xml)\b/i.test(contentType) || /\.x?html?$/i.test(path);
  return cleanText(read.text, isHtml ? 'html' : 'text', maxChars, read.note);
}

export function cleanText(given: string, format: 'html' | 'text', maxChars: number, note: string | null): ReadDocument {
  const { text, report } = sanitize(given, { maxChars, maxLines: Number.MAX_SAFE_INTEGER, format });
  if (!report.settled) return { refused: 'unreadable' };
  return report.cut > 0 ? { refused: 'too_large' } : { text, note };
}
