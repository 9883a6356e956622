import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Plugin } from 'vite';
import type { DocLink, DocNode, DocPage } from '../src/ui/docs/doc-page.js';

type MarkdownNode = ReturnType<typeof fromMarkdown>['children'][number];

/** Decisions are for who changes the code, not for who uses the console. */
const leftOut = /^(\.|decisions\/)/;
const suffix = '.md?doc';

/** Makes a module of each page of `docs/` that is imported as `<page>.md?doc`: what the console draws, as data. */
export function docPages(): Plugin {
  return {
    name: 'doc-pages',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith(suffix)) return null;
      const file = id.slice(0, -'?doc'.length);
      return { code: `export default ${JSON.stringify(docPage(file))}`, map: null, moduleType: 'js' };
    },
  };
}

/** @param file of a page of `docs/`, below a folder of that name */
export function docPage(file: string): DocPage {
  const { children } = fromMarkdown(readFileSync(file, 'utf8'), {
    extensions: [gfm()],
    mdastExtensions: [gfmFromMarkdown()],
  });
  const reader = new Reader(file);
  return reader.nodes(children);
}

/** As GitHub makes them, so that a link to a heading holds there and here. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

class Reader {
  private readonly anchors = new Set<string>();
  private readonly docs: string;

  constructor(private readonly file: string) {
    this.docs = file.slice(0, file.lastIndexOf('/docs/') + '/docs'.length);
  }

  readonly nodes = (from: readonly MarkdownNode[]): DocNode[] => from.flatMap(this.node);

  private readonly node = (node: MarkdownNode): DocNode | DocNode[] => {
    switch (node.type) {
      case 'text':
        return node.value;
      case 'inlineCode':
        return { is: 'code', text: node.value };
      case 'code':
        return { is: 'block', text: node.value };
      case 'heading':
        return { is: 'heading', level: node.depth, anchor: this.anchor(node), of: this.nodes(node.children) };
      case 'paragraph':
      case 'strong':
      case 'emphasis':
      case 'delete':
        return { is: node.type, of: this.nodes(node.children) };
      case 'blockquote':
        return { is: 'quote', of: this.nodes(node.children) };
      case 'list':
        return { is: 'list', from: node.ordered ? (node.start ?? 1) : null, of: this.nodes(node.children) };
      case 'listItem':
        return { is: 'item', of: this.nodes(node.children) };
      case 'table':
        return {
          is: 'table',
          rows: node.children.map((row) => row.children.map((cell) => this.nodes(cell.children))),
        };
      case 'link': {
        const to = this.target(node.url);
        const of = this.nodes(node.children);
        return to ? { is: 'link', to, of } : of;
      }
      case 'break':
        return { is: 'break' };
      case 'thematicBreak':
        return { is: 'rule' };
      case 'html':
        // `<time>` in a text is a text, as on the site of the documentation. Nothing of a page is ever markup.
        return node.value.startsWith('<!--') ? [] : node.value;
      default:
        throw new Error(`${this.file}: the console does not show what Markdown calls ${node.type}.`);
    }
  };

  private anchor(heading: MarkdownNode): string {
    const base = anchorOf(wordsOf(heading));
    let anchor = base;
    for (let number = 1; this.anchors.has(anchor); number += 1) anchor = `${base}-${number}`;
    this.anchors.add(anchor);
    return anchor;
  }

  /** @returns null for what the console does not have, such as a source: its words stay, without a link */
  private target(url: string): DocLink | null {
    if (/^https?:/.test(url)) return { href: url };
    const [path = '', anchor] = decodeURI(url).split('#');
    let file = path === '' ? this.file : resolve(dirname(this.file), path);
    if (existsSync(file) && statSync(file).isDirectory()) file = join(file, 'README.md');
    const name = relative(this.docs, file);
    if (leftOut.test(name) || !name.endsWith('.md') || !existsSync(file)) return null;
    return { page: name.slice(0, -'.md'.length), ...(anchor && { anchor }) };
  }
}

function wordsOf(node: MarkdownNode): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(wordsOf).join('') : '';
}
