import {
  alignedTable,
  backticked,
  type MarkdownDialect,
  neutraliseBroadcasts,
  plainDialect,
  textList,
} from '#libs/adapter-sdk';

const ZERO_WIDTH_SPACE = '\u200b';
const MAX_HEADING = 3;
/** Discord sees these within words too. */
const BROADCAST = /@(?=everyone|here)/gi;

/** Discord's own Markdown: a backslash makes a mark plain. */
export const discordDialect: MarkdownDialect = {
  ...plainDialect,
  lossy: ['table', 'image'],
  text: (value) => escaped(value),
  strong: (content) => `**${content}**`,
  emphasis: (content) => `*${content}*`,
  strikethrough: (content) => `~~${content}~~`,
  code: backticked,
  link: ({ content, url, bare }) => {
    if (bare && /^(?:mailto|tel):/i.test(url)) return content;
    if (!/^https?:/i.test(url)) return content === '' ? escaped(url) : `${content} (${escaped(url)})`;
    const target = url.replaceAll(/[()<>\s]/g, (sign) =>
      encodeURIComponent(sign).replace('(', '%28').replace(')', '%29'),
    );
    return bare || content === '' ? target : `[${content.replaceAll('\n', ' ')}](${target})`;
  },
  heading: (content, depth) => `${'#'.repeat(Math.min(depth, MAX_HEADING))} ${content}`,
  codeBlock: (value, language) => fenced(value, language),
  quote: (content) => content.replaceAll(/^/gm, '> '),
  list: (list) => textList(list, '-'),
  table: ({ textRows }) => fenced(alignedTable(textRows), undefined),
};

function escaped(text: string): string {
  const inert = neutraliseBroadcasts(text).replaceAll(BROADCAST, `@${ZERO_WIDTH_SPACE}`);
  return inert.replaceAll(/[\\*_~`|]/g, '\\$&').replaceAll(/^(\s*)([>#-])/gm, '$1\\$2');
}

function fenced(value: string, language: string | undefined): string {
  const name = language !== undefined && /^[\w+-]{1,20}$/.test(language) ? language : '';
  return `\`\`\`${name}\n${value.replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`\``)}\n\`\`\``;
}
