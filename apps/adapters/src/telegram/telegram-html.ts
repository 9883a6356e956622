import {
  alignedTable,
  escapeHtml,
  neutraliseBroadcasts,
  plainDialect,
  textList,
  type MarkdownDialect,
} from '#libs/adapter-sdk';

/**
 * The few tags that Telegram supports. Every `@name` is made inert, since a name in a text notifies its owner.
 * Source: https://core.telegram.org/bots/api#html-style
 */
export const telegramDialect: MarkdownDialect = {
  ...plainDialect,
  lossy: ['heading', 'table', 'image'],
  text: (value) => escapeHtml(neutraliseBroadcasts(value, 'all')),
  strong: (content) => `<b>${content}</b>`,
  emphasis: (content) => `<i>${content}</i>`,
  strikethrough: (content) => `<s>${content}</s>`,
  code: (value) => `<code>${escapeHtml(value)}</code>`,
  link: ({ content, url, bare }) => {
    const target = escapeHtml(url);
    if (bare) return content;
    if (!/^(?:https?|mailto|tel):/i.test(url)) return content === '' ? target : `${content} (${target})`;
    return `<a href="${target}">${content === '' ? target : content}</a>`;
  },
  image: ({ alt, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(alt === '' ? url : alt)}</a>`,
  heading: (content) => `<b>${content}</b>`,
  codeBlock: (value, language) =>
    language === undefined
      ? `<pre>${escapeHtml(value)}</pre>`
      : `<pre><code class="language-${escapeHtml(language)}">${escapeHtml(value)}</code></pre>`,
  // Telegram refuses a quote inside a quote.
  quote: (content) => `<blockquote>${content.replaceAll(/<\/?blockquote>/g, '')}</blockquote>`,
  list: (list) => textList(list, '•'),
  table: ({ textRows }) => `<pre>${escapeHtml(alignedTable(textRows))}</pre>`,
};

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot));/gi;
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** Decodes the entities of a text; an unknown one stays as it is. */
export function decodeEntities(html: string): string {
  return html.replaceAll(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

/** What a reader sees of the HTML. */
export function visibleText(html: string): string {
  return decodeEntities(html.replaceAll(/<[^>]*>/g, ''));
}
