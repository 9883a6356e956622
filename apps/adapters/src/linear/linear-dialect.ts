import {
  backticked,
  type Beside,
  type MarkdownDialect,
  neutraliseBroadcasts,
  plainDialect,
  textList,
} from '#libs/adapter-sdk';

const ZERO_WIDTH_SPACE = '\u200b';

/** The Markdown that Linear reads in a comment: tags are words, and any `@name` may be a person. */
export const linearDialect: MarkdownDialect = {
  ...plainDialect,
  lossy: [],
  text: (value) => escaped(neutraliseBroadcasts(value, 'all')),
  strong: (content, beside) => styled(content, beside, '**'),
  emphasis: (content, beside) => styled(content, beside, '*'),
  strikethrough: (content, beside) => styled(content, beside, '~~'),
  code: backticked,
  link: ({ content, url, bare }) => {
    if (bare && !/^mailto:/i.test(url)) return url;
    if (!/^(?:https?|mailto):/i.test(url)) return content === '' ? escaped(url) : `${content} (${escaped(url)})`;
    const target = url.replaceAll(/[()<>\s]/g, (sign) => `%${sign.codePointAt(0)?.toString(16) ?? ''}`);
    return `[${(content || escaped(url)).replaceAll('\n', ' ')}](${target})`;
  },
  image: ({ alt, url }) => `![${escaped(alt)}](${url.replaceAll(/[()<>\s]/g, encodeURIComponent)})`,
  heading: (content, depth) => `${'#'.repeat(depth)} ${content}`,
  codeBlock: fenced,
  quote: (content) => content.replaceAll(/^/gm, '> '),
  list: (list) => textList(list, '-'),
  table: ({ rows: [first = [], ...rest] }) => [line(first), line(first.map(() => '---')), ...rest.map(line)].join('\n'),
  between: () => '\n\n',
};

/** Plain text so that Markdown shows it unchanged. At most twice as long. */
export function escaped(text: string): string {
  const plain = text.replaceAll(/[\\*_~`[\]<|&]/g, String.raw`\$&`);
  return plain
    .replaceAll(/^(\s*)([#>+=-])/gm, String.raw`$1\$2`)
    .replaceAll(/^(\s*\d{1,9})([.)])(?=\s|$)/gm, String.raw`$1\$2`);
}

/** Beside a word, marks are none where a sign stands within them: a zero-width space is no sign. */
function styled(content: string, { before, after }: Beside, mark: string): string {
  const apart = (outside: string, inside: string): string =>
    outside !== '' && /[\p{P}\p{S}]/u.test(inside) ? ZERO_WIDTH_SPACE : '';
  return `${mark}${apart(before, content.at(0) ?? '')}${content}${apart(after, content.at(-1) ?? '')}${mark}`;
}

function fenced(value: string, language: string | undefined): string {
  const longest = Math.max(2, ...(value.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const name = language !== undefined && /^[\w+-]{1,20}$/.test(language) ? language : '';
  return `${fence}${name}\n${value}\n${fence}`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('\n', ' ')).join(' | ')} |`;
}
