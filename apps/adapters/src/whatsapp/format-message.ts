import {
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
  neutraliseBroadcasts,
  plainFormat,
  renderInParts,
  splitText,
} from '#libs/adapter-sdk';
import { whatsappDialect } from './whatsapp-dialect.js';

/** Pure: Markdown with WhatsApp's marks, or as plain text. */
export function formatMessage(request: FormatRequest, maxLength: number): FormatResult {
  const { text, mode, max_length: limit = maxLength } = request;
  if (mode === 'plain') return plainFormat(request, maxLength);
  const rendered = renderInParts(neutraliseBroadcasts(text), whatsappDialect, { maxLength: limit });
  return { ...rendered, format: 'native' };
}

/** The texts to send, one per part. */
export function partsToSend({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  const safe = neutraliseBroadcasts(text);
  if (format === 'plain' || format === 'native') return splitText(safe, maxLength);
  return renderInParts(safe, whatsappDialect, { maxLength }).parts;
}
