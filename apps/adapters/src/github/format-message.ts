import {
  neutraliseBroadcasts,
  plainFormat,
  splitText,
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';
import { escapeMarkdown, withoutMentions } from './comment-text.js';

/** Pure: GitHub reads Markdown, so it stays what it is, but for its mentions. */
export function formatMessage(request: FormatRequest, maxLength: number): FormatResult {
  const { text, mode, max_length: limit = maxLength } = request;
  if (mode === 'rich') {
    const safe = withoutMentions(text);
    return { text: safe, format: 'markdown', parts: splitText(safe, limit), lossy: [] };
  }
  return plainFormat(request, maxLength, 'all');
}

/** The bodies to post, one a part. */
export function partsToPost({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  if (format !== 'plain') return splitText(withoutMentions(text), maxLength);
  return splitText(neutraliseBroadcasts(text, 'all'), Math.floor(maxLength / 2)).map(escapeMarkdown);
}
