import {
  markdownToPlain,
  neutraliseBroadcasts,
  renderInParts,
  splitText,
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';
import { escapeMrkdwn, mrkdwnDialect } from './mrkdwn-dialect.js';

/** Pure: Markdown as mrkdwn, or as plain text. */
export function formatMessage({ text, mode, max_length }: FormatRequest, maxLength: number): FormatResult {
  const limit = max_length ?? maxLength;
  if (mode === 'rich') return { ...renderInParts(text, mrkdwnDialect, { maxLength: limit }), format: 'native' };
  const plain = markdownToPlain(text);
  const safe = neutraliseBroadcasts(plain.text);
  return { text: safe, format: 'plain', parts: splitText(safe, limit), lossy: plain.lossy };
}

/** The texts to post, one a part. Plain text is escaped: Slack reads `<...>` in it whatever else is switched off. */
export function partsToPost({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  if (format === 'native') return splitText(neutraliseBroadcasts(text), maxLength);
  if (format === 'plain') return splitText(neutraliseBroadcasts(text), maxLength).map(escapeMrkdwn);
  return renderInParts(text, mrkdwnDialect, { maxLength }).parts;
}
