import { alignedTable, neutraliseBroadcasts, plainDialect, textList, type MarkdownDialect } from '#libs/adapter-sdk';

const ZERO_WIDTH_SPACE = '\u200b';
/** A person or a channel, as Slack writes them in what it sends us: these stay unchanged. */
const REFERENCE = /&lt;([@#][A-Z0-9]{2,20})(?:\|[^<>&|\n]{1,100})?&gt;/g;

/**
 * The three characters that have a meaning for Slack.
 * Source: https://docs.slack.dev/messaging/formatting-message-text
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Slack's mrkdwn. It has no escape for `*`, `_` and `~`, and no headings, tables or pictures in a text. */
export const mrkdwnDialect: MarkdownDialect = {
  ...plainDialect,
  lossy: ['heading', 'table', 'image'],
  text: (value) => escapeMrkdwn(neutraliseBroadcasts(value)).replaceAll(REFERENCE, '<$1>'),
  strong: (content) => wrap('*', content),
  emphasis: (content) => wrap('_', content),
  strikethrough: (content) => wrap('~', content),
  code: (value) => (value.includes('`') ? escapeMrkdwn(value) : `\`${escapeMrkdwn(value)}\``),
  link: ({ content, url, bare }) => {
    if (!/^(?:https?|mailto|tel):/i.test(url))
      return content === '' ? escapeMrkdwn(url) : `${content} (${escapeMrkdwn(url)})`;
    const target = encodeTarget(url);
    return bare || content === '' ? `<${target}>` : `<${target}|${content.replaceAll('\n', ' ')}>`;
  },
  image: ({ alt, url }) => (alt === '' ? `<${encodeTarget(url)}>` : `<${encodeTarget(url)}|${escapeMrkdwn(alt)}>`),
  heading: (content) => wrap('*', content.replaceAll(/\*([^*\n]+)\*/g, '$1')),
  codeBlock: fenced,
  quote: (content) => content.replaceAll(/^/gm, '> '),
  list: (list) => textList(list, '•'),
  table: ({ textRows }) => fenced(alignedTable(textRows)),
};

/** Marks only take effect around words, and not across lines. */
function wrap(mark: string, content: string): string {
  return content
    .split('\n')
    .map((line) => (line.trim() === '' ? line : `${mark}${line}${mark}`))
    .join('\n');
}

function fenced(value: string): string {
  return `\`\`\`\n${escapeMrkdwn(value.replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`\``))}\n\`\`\``;
}

function encodeTarget(url: string): string {
  return escapeMrkdwn(url.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
}
