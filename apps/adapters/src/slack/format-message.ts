import {
  neutraliseBroadcasts,
  plainFormat,
  renderInParts,
  splitText,
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';
import { escapeMrkdwn, mrkdwnDialect } from './mrkdwn-dialect.js';

/** Pure: Markdown as mrkdwn, or as plain text. */
export function formatMessage(request: FormatRequest, maxLength: number): FormatResult {
  const { text, mode, max_length: limit = maxLength } = request;
  if (mode === 'rich') return { ...renderInParts(text, mrkdwnDialect, { maxLength: limit }), format: 'native' };
  return plainFormat(request, maxLength);
}

/**
 * The texts to post, one per part. Plain text is escaped: Slack interprets `<...>` in it whatever else is switched off.
 */
export function partsToPost({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  if (format === 'native') return splitText(neutraliseBroadcasts(text), maxLength);
  if (format === 'plain') return splitText(neutraliseBroadcasts(text), maxLength).map(escapeMrkdwn);
  return renderInParts(text, mrkdwnDialect, { maxLength }).parts;
}
