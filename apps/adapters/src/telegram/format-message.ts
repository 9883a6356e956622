import {
  neutraliseBroadcasts,
  plainFormat,
  renderMarkdown,
  splitText,
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';
import { splitHtml } from './split-html.js';
import { telegramDialect } from './telegram-html.js';

/** Pure: Markdown as Telegram's HTML, or as plain text. */
export function formatMessage(request: FormatRequest, maxLength: number): FormatResult {
  const { text, mode, max_length: limit = maxLength } = request;
  if (mode === 'rich') {
    const html = renderMarkdown(text, telegramDialect);
    return { ...html, format: 'native', parts: splitHtml(html.text, limit) };
  }
  return plainFormat(request, maxLength, 'all');
}

/** The texts to send, one per part; `native` is HTML already. */
export function partsToSend({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  if (format === 'plain') return splitText(neutraliseBroadcasts(text, 'all'), maxLength);
  return splitHtml(format === 'native' ? text : renderMarkdown(text, telegramDialect).text, maxLength);
}
