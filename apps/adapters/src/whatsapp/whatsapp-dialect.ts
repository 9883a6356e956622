import {
  alignedTable,
  apart,
  type Beside,
  type MarkdownDialect,
  plainDialect,
  quotedLines,
  neutraliseBroadcasts,
} from '#libs/adapter-sdk';

const ZERO_WIDTH_SPACE = '\u200b';

/**
 * WhatsApp's marks. They have no escape; a zero-width space keeps one from opening, and stands between one and a word.
 * Source: https://faq.whatsapp.com/539178204879377
 */
export const whatsappDialect: MarkdownDialect = {
  ...plainDialect,
  lossy: ['heading', 'table', 'image'],
  text: shownText,
  strong: (content, beside) => byLine('*', content, beside),
  emphasis: (content, beside) => byLine('_', content, beside),
  strikethrough: (content, beside) => byLine('~', content, beside),
  code: (value) => (value.includes('`') ? shownText(value) : `\`${value}\``),
  heading: (content) => byLine('*', content.replaceAll(/\*([^*\n]+)\*/g, '$1')),
  codeBlock: (value) => fenced(value),
  quote: (content) => quotedLines(content),
  table: ({ textRows }) => fenced(alignedTable(textRows)),
};

const OPENING = /(?<![\p{L}\p{N}])[*_~`]+(?=\S|$)/gu;

function shownText(value: string): string {
  return neutraliseBroadcasts(value).replaceAll(OPENING, `$&${ZERO_WIDTH_SPACE}`);
}

/** A mark opens and closes on one line. */
function byLine(mark: string, content: string, beside: Beside = { before: '', after: '' }): string {
  const marked = content
    .split('\n')
    .map((line) => (line.trim() === '' ? line : `${mark}${line}${mark}`))
    .join('\n');
  return apart(marked, beside);
}

function fenced(value: string): string {
  return `\`\`\`\n${value.replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`\``)}\n\`\`\``;
}
