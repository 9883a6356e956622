import {
  markdownToPlain,
  neutraliseBroadcasts,
  splitText,
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';
import { escapeMarkdown, withoutMentions } from './comment-text.js';

/** Pure: GitHub reads Markdown, so it stays what it is, but for its mentions. */
export function formatMessage({ text, mode, max_length }: FormatRequest, maxLength: number): FormatResult {
  const limit = max_length ?? maxLength;
  if (mode === 'rich') {
    const safe = withoutMentions(text);
    return { text: safe, format: 'markdown', parts: splitText(safe, limit), lossy: [] };
  }
  const plain = markdownToPlain(text);
  const safe = neutraliseBroadcasts(plain.text, 'all');
  return { text: safe, format: 'plain', parts: splitText(safe, limit), lossy: plain.lossy };
}

/** The bodies to post, one a part. */
export function partsToPost({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  if (format !== 'plain') return splitText(withoutMentions(text), maxLength);
  return splitText(neutraliseBroadcasts(text, 'all'), Math.floor(maxLength / 2)).map(escapeMarkdown);
}
