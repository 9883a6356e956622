import { sanitize } from '#libs/sanitizer';
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

export type ReadDocument = { text: string } | { refused: 'not_text' | 'too_large' | 'unreadable' };

/**
 * The text of a file for a model: sanitised, and HTML as its visible text. The bytes decide whether it is text, since
 * providers often declare wrong types: UTF-8, or the encoding of a byte order mark or the type's `charset`, without
 * U+0000.
 * @param maxChars a longer text is refused, since a part would pass for the whole
 */
export function documentText(bytes: Buffer, contentType: string, path: string, maxChars: number): ReadDocument {
  const raw = decoded(bytes, contentType);
  if (raw === null) return { refused: 'not_text' };
  const isHtml = /^(text\/html|application\/xhtml\+xml)\b/i.test(contentType) || /\.x?html?$/i.test(path);
  const limits = { maxChars, maxLines: Number.MAX_SAFE_INTEGER };
  const { text, report } = sanitize(raw, { ...limits, format: isHtml ? 'html' : 'text' });
  if (!report.settled) return { refused: 'unreadable' };
  return report.cut > 0 ? { refused: 'too_large' } : { text };
}

const byteOrderMarks: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

function decoded(bytes: Buffer, contentType: string): string | null {
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return null;
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const declared = /;\s*charset="?([\w-]{1,40})"?/i.exec(contentType)?.[1];
  for (const label of marked ? [marked] : ['utf-8', ...(declared ? [declared] : [])]) {
    const text = decodedAs(label, bytes);
    if (text !== null && !text.includes('\0')) return text;
  }
  return null;
}

function decodedAs(label: string, bytes: Buffer): string | null {
  const decoder = decoderOf(label);
  if (!decoder || (decoder.encoding === 'utf-8' && !isUtf8(bytes))) return null;
  const text = decoder.decode(bytes);
  return decoder.encoding === 'utf-8' || !text.includes('\ufffd') ? text : null;
}

/** @returns null for an unknown label, the only case in which the constructor throws */
function decoderOf(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
