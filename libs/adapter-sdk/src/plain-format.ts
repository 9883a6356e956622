import { type Mentions, neutraliseBroadcasts } from './broadcast-mentions.js';
import type { FormatRequest, FormatResult } from './formatting.js';
import { markdownToPlain } from './markdown/render-markdown.js';
import { splitText } from './split-text.js';

/**
 * The answer of `/format` in plain mode: Markdown as plain text, with its broadcast mentions made inert.
 * @param maxLength of a part, where the request names none
 * @param mentions as in `neutraliseBroadcasts`
 */
export function plainFormat(
  { text, max_length }: FormatRequest,
  maxLength: number,
  mentions: Mentions = 'broadcast',
): FormatResult {
  const plain = markdownToPlain(text);
  const safe = neutraliseBroadcasts(plain.text, mentions);
  return { text: safe, format: 'plain', parts: splitText(safe, max_length ?? maxLength), lossy: plain.lossy };
}
