import { alignedTable, type MarkdownDialect, plainDialect, neutraliseBroadcasts } from '#libs/adapter-sdk';

const ZERO_WIDTH_SPACE = '\u200b';

/**
 * WhatsApp's marks. They have no escape, so a mark in the text itself may show as one.
 * Source: https://faq.whatsapp.com/539178204879377
 */
export const whatsappDialect: MarkdownDialect = {
  ...plainDialect,
  lossy: ['heading', 'table', 'image'],
  text: (value) => neutraliseBroadcasts(value),
  strong: (content) => byLine('*', content),
  emphasis: (content) => byLine('_', content),
  strikethrough: (content) => byLine('~', content),
  code: (value) => (value.includes('`') ? neutraliseBroadcasts(value) : `\`${value}\``),
  heading: (content) => byLine('*', content.replaceAll(/\*([^*\n]+)\*/g, '$1')),
  codeBlock: (value) => fenced(value),
  quote: (content) => content.replaceAll(/^/gm, '> '),
  table: ({ textRows }) => fenced(alignedTable(textRows)),
};

/** A mark opens and closes on one line. */
function byLine(mark: string, content: string): string {
  return content
    .split('\n')
    .map((line) => (line.trim() === '' ? line : `${mark}${line}${mark}`))
    .join('\n');
}

function fenced(value: string): string {
  return `\`\`\`\n${value.replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`\``)}\n\`\`\``;
}
