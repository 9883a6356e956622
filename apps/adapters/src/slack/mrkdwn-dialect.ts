import {
  alignedTable,
  apart,
  type Beside,
  neutraliseBroadcasts,
  plainDialect,
  quotedLines,
  textList,
  type MarkdownDialect,
} from '#libs/adapter-sdk';

const ZERO_WIDTH_SPACE = '\u200b';
/** A mark that would open here. */
const OPENING = /(?<![\p{L}\p{N}])[*_~`]+(?=\S|$)/gu;
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
  text: shownText,
  strong: (content, beside) => wrap('*', content, beside),
  emphasis: (content, beside) => wrap('_', content, beside),
  strikethrough: (content, beside) => wrap('~', content, beside),
  code: (value, beside) => (value.includes('`') ? shownText(value) : apart(`\`${escapeMrkdwn(value)}\``, beside)),
  link: ({ content, url, bare }) => {
    if (!/^(?:https?|mailto|tel):/i.test(url))
      return content === '' ? escapeMrkdwn(url) : `${content} (${escapeMrkdwn(url)})`;
    const target = encodeTarget(url);
    if (/^(?:mailto|tel):/i.test(url) && content !== '') return `<${target}|${content.replaceAll('\n', ' ')}>`;
    return bare || content === '' ? `<${target}>` : `<${target}|${content.replaceAll('\n', ' ')}>`;
  },
  image: ({ alt, url }) => (alt === '' ? `<${encodeTarget(url)}>` : `<${encodeTarget(url)}|${escapeMrkdwn(alt)}>`),
  heading: (content) => wrap('*', content.replaceAll(/(?<![^\s\u200b([{])\*([^*\n]+)\*(?![^\s\u200b.,)\]}!?])/g, '$1')),
  codeBlock: fenced,
  quote: (content) => quotedLines(content),
  list: (list) => textList(list, '•'),
  table: ({ textRows }) => fenced(alignedTable(textRows)),
};

/** Slack has no escape for its marks; before a zero-width space none opens. */
function shownText(value: string): string {
  return escapeMrkdwn(neutraliseBroadcasts(value).replaceAll(OPENING, `$&${ZERO_WIDTH_SPACE}`)).replaceAll(
    REFERENCE,
    '<$1>',
  );
}

/** Marks only take effect around words, and not across lines. */
function wrap(mark: string, content: string, beside: Beside = { before: '', after: '' }): string {
  const lines = content.split('\n');
  return lines
    .map((line, index) => {
      if (line.trim() === '') return line;
      return apart(`${mark}${line}${mark}`, {
        before: index === 0 ? beside.before : '',
        after: index === lines.length - 1 ? beside.after : '',
      });
    })
    .join('\n');
}

function fenced(value: string): string {
  return `\`\`\`\n${escapeMrkdwn(value.replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`\``))}\n\`\`\``;
}

function encodeTarget(url: string): string {
  return escapeMrkdwn(url.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
}
