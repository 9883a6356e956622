import {
  markdownToPlain,
  neutraliseBroadcasts,
  renderMarkdown,
  splitText,
  type DeliverCall,
  type FormatRequest,
  type FormatResult,
} from '#libs/adapter-sdk';
import { splitHtml } from './split-html.js';
import { telegramDialect } from './telegram-html.js';

/** Pure: Markdown as Telegram's HTML, or as plain text. */
export function formatMessage({ text, mode, max_length }: FormatRequest, maxLength: number): FormatResult {
  const limit = max_length ?? maxLength;
  if (mode === 'rich') {
    const html = renderMarkdown(text, telegramDialect);
    return { ...html, format: 'native', parts: splitHtml(html.text, limit) };
  }
  const plain = markdownToPlain(text);
  const safe = neutraliseBroadcasts(plain.text, 'all');
  return { text: safe, format: 'plain', parts: splitText(safe, limit), lossy: plain.lossy };
}

/** The texts to send, one a part; `native` is HTML already. */
export function partsToSend({ text, format }: DeliverCall['message'], maxLength: number): string[] {
  if (format === 'plain') return splitText(neutraliseBroadcasts(text, 'all'), maxLength);
  return splitHtml(format === 'native' ? text : renderMarkdown(text, telegramDialect).text, maxLength);
}
