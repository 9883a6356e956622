import { neutraliseBroadcasts } from './broadcast-mentions.js';
import type { DeliverCall } from './delivery.js';
import type { FormatRequest, FormatResult } from './formatting.js';
import type { MarkdownDialect } from './markdown/dialect.js';
import { renderInParts } from './markdown/render-in-parts.js';
import { plainFormat } from './plain-format.js';
import { splitText } from './split-text.js';

/**
 * The answer of `/format`: Markdown in a channel's own markup, or as plain text. The dialect makes broadcast mentions
 * inert in its text, so that code stays as it is.
 * @param maxLength of a part, where the request names none
 */
export function dialectFormat(request: FormatRequest, dialect: MarkdownDialect, maxLength: number): FormatResult {
  const { text, mode, max_length: limit = maxLength } = request;
  if (mode === 'plain') return plainFormat(request, maxLength);
  return { ...renderInParts(text, dialect, { maxLength: limit }), format: 'native' };
}

/**
 * The texts of a message to send, one per part.
 * @param escape makes plain text one that the channel shows as it is; default: it does so anyway
 */
export function dialectParts(
  { text, format }: DeliverCall['message'],
  dialect: MarkdownDialect,
  maxLength: number,
  escape: (plain: string) => string = (plain) => plain,
): string[] {
  if (format === 'native') return splitText(neutraliseBroadcasts(text), maxLength);
  if (format === 'plain') return splitText(neutraliseBroadcasts(text), maxLength).map(escape);
  return renderInParts(text, dialect, { maxLength }).parts;
}
