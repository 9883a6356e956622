import type { MarkdownDialect, MarkdownList } from './dialect.js';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML, both between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/**
 * HTML for mail: structure without style. HTML written by the author is shown as text. A picture becomes a link: a mail
 * that loads what a model names would tell that server who reads it.
 */
export const htmlDialect: MarkdownDialect = {
  lossy: ['image'],
  text: escapeHtml,
  strong: (content) => `<strong>${content}</strong>`,
  emphasis: (content) => `<em>${content}</em>`,
  strikethrough: (content) => `<del>${content}</del>`,
  code: (value) => `<code>${escapeHtml(value)}</code>`,
  link: ({ content, url }) => `<a href="${escapeHtml(url)}">${content === '' ? escapeHtml(url) : content}</a>`,
  image: ({ alt, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(alt === '' ? url : alt)}</a>`,
  lineBreak: () => '<br>\n',
  paragraph: (content) => `<p>${content}</p>`,
  heading: (content, depth) => `<h${depth}>${content}</h${depth}>`,
  codeBlock: (value) => `<pre><code>${escapeHtml(value)}</code></pre>`,
  quote: (content) => `<blockquote>\n${content}\n</blockquote>`,
  list: htmlList,
  table: ({ rows: [head = [], ...body] }) =>
    `<table>\n<thead>${row(head, 'th')}</thead>\n<tbody>\n${body.map((cells) => row(cells, 'td')).join('\n')}\n</tbody>\n</table>`,
  rule: () => '<hr>',
  between: () => '\n',
};

function htmlList({ items, ordered, start }: MarkdownList): string {
  const tag = ordered ? 'ol' : 'ul';
  const first = ordered && start !== 1 ? ` start="${start}"` : '';
  const lines = items.map(({ content, checked }) => {
    const box = checked === undefined ? '' : checked ? '[x] ' : '[ ] ';
    return `<li>${box}${content}</li>`;
  });
  return `<${tag}${first}>\n${lines.join('\n')}\n</${tag}>`;
}

function row(cells: readonly string[], tag: 'th' | 'td'): string {
  return `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
}
