import type { MarkdownDialect, MarkdownKind } from './dialect.js';
import { parseMarkdown } from './parse-markdown.js';
import { plainDialect } from './plain-dialect.js';
import type { MarkdownBlock, MarkdownNode, MarkdownPhrase, MarkdownRoot } from './tree.js';

const LINKABLE = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** A scheme, or a relative address: it has no colon in its first segment. */
const addressForm = /^(?:[a-z]+:|[^:]*$|[^:]*[/?#])/i;

/** Decided by the parsed URL, which is what the reader's program opens. */
function isLinkable(address: string): boolean {
  const { protocol = '' } = URL.parse(address, 'https://relative.invalid') ?? {};
  return LINKABLE.has(protocol) && addressForm.test(address);
}

/** The text in a provider's dialect, and the kinds of Markdown in it that the dialect cannot show. Deterministic. */
export function renderMarkdown(markdown: string, dialect: MarkdownDialect): { text: string; lossy: string[] } {
  const seen = new Set<MarkdownKind>();
  const texts = parseMarkdown(markdown).map((stretch) =>
    'text' in stretch ? dialect.paragraph(dialect.text(stretch.text)) : new Writer(dialect, seen, stretch.tree).text(),
  );
  return {
    text: texts.filter((text) => text !== '').join(dialect.between(1)),
    lossy: dialect.lossy.filter((kind) => seen.has(kind)),
  };
}

/** Markdown as plain text: formatting marks are removed; words, code, list marks and link targets stay. */
export function markdownToPlain(markdown: string): { text: string; lossy: string[] } {
  return renderMarkdown(markdown, plainDialect);
}

class Writer {
  private readonly definitions = new Map<string, MarkdownNode<'definition'>>();

  constructor(
    private readonly dialect: MarkdownDialect,
    private readonly seen: Set<MarkdownKind>,
    private readonly tree: MarkdownRoot,
  ) {
    for (const node of tree.children) if (node.type === 'definition') this.definitions.set(node.identifier, node);
  }

  text(): string {
    return this.blocks(this.tree.children);
  }

  private blocks(nodes: readonly MarkdownBlock[]): string {
    let text = '';
    let lastLine: number | undefined;
    for (const node of nodes) {
      const block = this.block(node);
      if (block === '') continue;
      const line = node.position?.start.line ?? 0;
      const blankLines = lastLine === undefined ? 0 : Math.max(line - lastLine - 1, 0);
      text += lastLine === undefined ? block : this.dialect.between(blankLines) + block;
      lastLine = node.position?.end.line ?? line;
    }
    return text;
  }

  private block(node: MarkdownBlock): string {
    const { dialect } = this;
    switch (node.type) {
      case 'paragraph':
        return dialect.paragraph(this.inline(node.children));
      case 'heading':
        return this.saw('heading', dialect.heading(this.inline(node.children), node.depth));
      case 'code':
        return this.saw('codeBlock', dialect.codeBlock(node.value, node.lang ?? undefined));
      case 'blockquote':
        return this.saw('quote', dialect.quote(this.blocks(node.children)));
      case 'list':
        return this.list(node);
      case 'table':
        return this.table(node);
      case 'thematicBreak':
        return this.saw('rule', dialect.rule());
      case 'html':
        return dialect.paragraph(dialect.text(node.value));
      case 'footnoteDefinition':
        return dialect.text(`[${node.identifier}]: `) + this.blocks(node.children);
      default:
        return '';
    }
  }

  private list(node: MarkdownNode<'list'>): string {
    const items = node.children.map((item) => ({
      content: isTight(item.children) ? this.tight(item.children) : this.blocks(item.children),
      checked: item.checked ?? undefined,
    }));
    const loose = node.spread === true || node.children.some((item) => item.spread === true);
    return this.saw(
      'list',
      this.dialect.list({ items, ordered: node.ordered === true, start: node.start ?? 1, loose }),
    );
  }

  /** The single paragraph of an item without paragraph marks, then the lists under it. */
  private tight([first, ...rest]: readonly MarkdownBlock[]): string {
    const words = first?.type === 'paragraph' ? this.inline(first.children) : '';
    const below = this.blocks(rest);
    return below === '' ? words : words + this.dialect.between(0) + below;
  }

  private table(node: MarkdownNode<'table'>): string {
    const rows = node.children.map((row) => row.children.map((cell) => this.inline(cell.children)));
    const bare = new Writer(plainDialect, new Set(), this.tree);
    const textRows = node.children.map((row) => row.children.map((cell) => bare.inline(cell.children)));
    return this.saw('table', this.dialect.table({ rows, textRows }));
  }

  private inline(nodes: readonly MarkdownPhrase[]): string {
    return nodes.map((node) => this.phrase(node)).join('');
  }

  private phrase(node: MarkdownPhrase): string {
    const { dialect } = this;
    switch (node.type) {
      case 'text':
      case 'html':
        return dialect.text(node.value);
      case 'strong':
        return this.saw('strong', dialect.strong(this.inline(node.children)));
      case 'emphasis':
        return this.saw('emphasis', dialect.emphasis(this.inline(node.children)));
      case 'delete':
        return this.saw('strikethrough', dialect.strikethrough(this.inline(node.children)));
      case 'inlineCode':
        return this.saw('code', dialect.code(node.value));
      case 'break':
        return dialect.lineBreak();
      case 'link':
        return this.link(node.url, node.children);
      case 'linkReference':
        return this.link(this.definitions.get(node.identifier)?.url ?? '', node.children);
      case 'image':
        return this.image(node.url, node.alt);
      case 'imageReference':
        return this.image(this.definitions.get(node.identifier)?.url ?? '', node.alt);
      case 'footnoteReference':
        return dialect.text(`[${node.identifier}]`);
    }
  }

  private link(url: string, children: readonly MarkdownPhrase[]): string {
    const content = this.inline(children);
    if (!isLinkable(url)) return content + this.dialect.text(` (${url})`);
    const words = new Writer(plainDialect, new Set(), this.tree).inline(children);
    const bare = [url, url.replace(/^mailto:/, ''), url.replace(/^http:\/\//, '')].includes(words);
    return this.saw('link', this.dialect.link({ content, url, bare }));
  }

  private image(url: string, alt: string | null | undefined): string {
    if (!isLinkable(url)) return this.dialect.text(`${alt ?? ''} (${url})`);
    return this.saw('image', this.dialect.image({ alt: alt ?? '', url }));
  }

  private saw(kind: MarkdownKind, text: string): string {
    this.seen.add(kind);
    return text;
  }
}

function isTight([first, ...rest]: readonly MarkdownBlock[]): boolean {
  return first?.type === 'paragraph' && rest.every((node) => node.type === 'list');
}
