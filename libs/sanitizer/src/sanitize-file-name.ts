import type { SanitizerReport } from './report.js';
import { sanitize } from './sanitize.js';

/** File systems allow 255 bytes; this leaves room for a prefix. */
const maxBytes = 200;
const maxExtensionChars = 16;
const device = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i;

/**
 * A name for an attachment that is safe to show, log and write anywhere: one line, no folders, no control or direction
 * characters (`gpj.exe` stays visible as that), no reserved name, at most 200 bytes of UTF-8 with its extension kept.
 */
export function sanitizeFileName(name: string): { name: string; report: SanitizerReport } {
  const { text, report } = sanitize(name, { maxChars: 4_096 });
  const last = text.replace(/\s+/g, ' ').split(/[/\\]/).at(-1) ?? '';
  const plain = trimmed(last.replace(/[<>:"|?*]/g, '_'));
  const safe = plain === '' ? 'file' : device.test(plain) ? `_${plain}` : plain;
  return { name: withinBytes(safe), report };
}

/** Without what Windows drops at the ends, and without the dots that would hide the file or name a folder. */
function trimmed(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && ' .'.includes(name.charAt(start))) start += 1;
  while (end > start && ' .'.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}

function withinBytes(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= maxExtensionChars ? name.slice(dot) : '';
  const room = maxBytes - Buffer.byteLength(extension);
  let stem = '';
  let bytes = 0;
  for (const character of name.slice(0, name.length - extension.length)) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    stem += character;
  }
  return trimmed(stem) + extension;
}
