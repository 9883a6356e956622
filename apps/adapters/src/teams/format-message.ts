import {
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
  neutraliseBroadcasts,
  plainFormat,
  renderInParts,
  splitText,
} from '#libs/adapter-sdk';
import { teamsDialect } from './teams-dialect.js';

/** Pure: Markdown as Teams shows it, or as plain text. */
export function formatMessage(request: FormatRequest, maxLength: number): FormatResult {
  const { text, mode, max_length: limit = maxLength } = request;
  if (mode === 'rich') return { ...renderInParts(text, teamsDialect, { maxLength: limit }), format: 'native' };
  return plainFormat(request, maxLength);
}

/** The texts to send, one per part. */
export function partsToSend({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  if (format === 'plain' || format === 'native') return splitText(neutraliseBroadcasts(text), maxLength);
  return renderInParts(text, teamsDialect, { maxLength }).parts;
}
