import type { Beside, MarkdownDialect, MarkdownList } from './dialect.js';

/**
 * Keeps words, code, list marks and link targets, and drops other marks. The base of plain-text providers' dialects.
 */
export const plainDialect: MarkdownDialect = {
  lossy: ['table', 'image'],
  text: (value) => value,
  strong: (content) => content,
  emphasis: (content) => content,
  strikethrough: (content) => content,
  code: (value) => value,
  link: ({ content, url, bare }) => (bare ? content : content === '' ? url : `${content} (${url})`),
  image: ({ alt, url }) => (alt === '' ? url : `${alt} (${url})`),
  lineBreak: () => '\n',
  paragraph: (content) => content,
  heading: (content) => content,
  codeBlock: (value) => value,
  quote: (content) => content,
  list: (list) => textList(list, '-'),
  table: ({ rows }) => rows.map((cells) => cells.map(onOneLine).join(' | ')).join('\n'),
  rule: () => '---',
  between: (blankLines) => '\n'.repeat(blankLines + 1),
};

/** A list as lines; the contents of an item are indented under its mark. */
export function textList({ items, ordered, start, loose }: MarkdownList, bullet: string): string {
  const lines = items.map(({ content, checked }, index) => {
    const mark = ordered ? `${start + index}.` : bullet;
    const box = checked === undefined ? '' : checked ? '[x] ' : '[ ] ';
    const indent = ' '.repeat(mark.length + 1);
    return `${mark} ${box}${content.replaceAll(/\n(?!\n|$)/g, `\n${indent}`)}`;
  });
  return lines.join(loose ? '\n\n' : '\n');
}

/** A table as lines of aligned columns, for a code block. Widths count UTF-16 code units. */
export function alignedTable(table: readonly (readonly string[])[]): string {
  const rows = table.map((cells) => cells.map(onOneLine));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [lines[0] ?? '', rule, ...lines.slice(1)].join('\n');
}

function onOneLine(cell: string): string {
  return cell.replaceAll('\n', ' ');
}

/** Each line behind a `>`. Channels that read no block of code within a quote show it between two quotes. */
export function quotedLines(content: string): string {
  let isCode = false;
  return content
    .split('\n')
    .map((line) => {
      const isFence = line.startsWith('```');
      const isOutside = isCode || isFence;
      if (isFence) isCode = !isCode;
      return isOutside ? line : `> ${line}`;
    })
    .join('\n');
}

/** Code between more backticks than it has in a row. */
export function backticked(value: string): string {
  const longest = Math.max(0, ...(value.match(/`+/g) ?? []).map(({ length }) => length));
  const [fence, pad] = ['`'.repeat(longest + 1), /^`|`$/.test(value) ? ' ' : ''];
  return fence + pad + value + pad + fence;
}

const ZERO_WIDTH_SPACE = '\u200b';

/** A marked text for channels that see a mark only where a word ends, which it does at a zero-width space. */
export function apart(marked: string, { before, after }: Beside): string {
  const open = before === '' || /[([{]/.test(before) ? '' : ZERO_WIDTH_SPACE;
  const close = after === '' || /[.,)\]}!?]/.test(after) ? '' : ZERO_WIDTH_SPACE;
  return `${open}${marked}${close}`;
}
