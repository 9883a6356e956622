import {
  alignedTable,
  backticked,
  type Beside,
  type MarkdownDialect,
  neutraliseBroadcasts,
  plainDialect,
  textList,
} from '#libs/adapter-sdk';

const ZERO_WIDTH_SPACE = '\u200b';

/** The Markdown that Teams reads in a bot's text: a single line break is none, and tags are HTML. */
export const teamsDialect: MarkdownDialect = {
  ...plainDialect,
  lossy: ['heading', 'table', 'image'],
  text: (value) => escaped(neutraliseBroadcasts(value)),
  strong: (content, beside) => styled(content, beside, '**', 'strong'),
  emphasis: (content, beside) => styled(content, beside, '*', 'em'),
  strikethrough: (content, beside) => styled(content, beside, '~~', 's'),
  code: backticked,
  link: ({ content, url, bare }) => {
    if (!/^(?:https?|mailto):/i.test(url)) return content === '' ? escaped(url) : `${content} (${escaped(url)})`;
    const target = url
      .replaceAll('(', '%28')
      .replaceAll(')', '%29')
      .replaceAll(/[<>\s]/g, encodeURIComponent);
    if (/^mailto:/i.test(url) && content !== '') return `[${content.replaceAll('\n', ' ')}](${target})`;
    return bare || content === '' ? target : `[${content.replaceAll('\n', ' ')}](${target})`;
  },
  lineBreak: () => '\n\n',
  heading: (content) => `**${content.replaceAll('**', '')}**`,
  codeBlock: (value) => fenced(value),
  quote: (content) => content.replaceAll(/^/gm, '> '),
  list: (list) => textList(list, '-'),
  table: ({ textRows }) => fenced(alignedTable(textRows)),
  between: () => '\n\n',
};

/** Beside a word, marks are none where a sign stands within them. */
function styled(content: string, { before, after }: Beside, mark: string, tag: string): string {
  const isApart = (outside: string, inside: string): boolean => outside === '' || !/[\p{P}\p{S}]/u.test(inside);
  const isMark = isApart(before, content.at(0) ?? '') && isApart(after, content.at(-1) ?? '');
  return isMark ? `${mark}${content}${mark}` : `<${tag}>${content}</${tag}>`;
}

function escaped(text: string): string {
  const plain = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return plain.replaceAll(/[\\*_~`[\]]/g, '\\$&').replaceAll(/^(\s*)([#-])/gm, '$1\\$2');
}

function fenced(value: string): string {
  return `\`\`\`\n${value.replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`\``)}\n\`\`\``;
}
