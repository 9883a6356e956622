import type { Beside, MarkdownDialect, MarkdownKind } from './dialect.js';
import { besides, isStars } from './emphasis-marks.js';
import {
  attribute,
  decodeReferences,
  isComment,
  pairsOf,
  piecesOf,
  readTag,
  startsLine,
  STYLES,
  type Tag,
} from './inline-html.js';
import { type Parsed, parseMarkdown } from './parse-markdown.js';
import { plainDialect } from './plain-dialect.js';
import type { MarkdownBlock, MarkdownNode, MarkdownPhrase } from './tree.js';

const ZERO_WIDTH_SPACE = '\u200b';
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
    'text' in stretch ? dialect.paragraph(dialect.text(stretch.text)) : new Writer(dialect, seen, stretch).text(),
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
    private readonly parsed: Parsed,
  ) {
    for (const node of parsed.tree.children)
      if (node.type === 'definition') this.definitions.set(node.identifier, node);
  }

  text(): string {
    return this.blocks(this.parsed.tree.children);
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
        return this.page(node.value);
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
    const textRows = node.children.map((row) => row.children.map((cell) => this.words(cell.children)));
    return this.saw('table', this.dialect.table({ rows, textRows }));
  }

  private inline(nodes: readonly MarkdownPhrase[], showsLoneTags = true): string {
    const tags = nodes.map((node) => (node.type === 'html' ? readTag(node.value) : undefined));
    const pairs = pairsOf(tags);
    let text = '';
    for (let at = 0; at < nodes.length; at += 1) {
      const [node, tag, end] = [nodes[at], tags[at], pairs.get(at)];
      if (!node) continue;
      if (tag && end !== undefined) {
        const beside = { before: this.beside(node).before, after: this.beside(nodes[end] ?? node).after };
        text += this.element(tag, nodes.slice(at + 1, end), beside);
        at = end;
      } else text += tag ? this.loneTag(tag, showsLoneTags) : this.phrase(node);
      // A name may follow in the next node.
      if (node.type === 'text' && node.value.endsWith('@') && at < nodes.length - 1) text += ZERO_WIDTH_SPACE;
    }
    return text;
  }

  private phrase(node: MarkdownPhrase): string {
    const { dialect } = this;
    switch (node.type) {
      case 'text':
        return dialect.text(node.value);
      case 'html':
        return isComment(node.value) ? '' : dialect.text(node.value);
      case 'strong':
      case 'emphasis':
        if (!isStars(node, this.parsed.source)) return this.styled(node.type, node.children, this.beside(node));
        return starred(dialect, node.type === 'strong' ? '**' : '*', this.inline(node.children));
      case 'delete':
        return this.styled('delete', node.children, this.beside(node));
      case 'inlineCode':
        return this.saw('code', dialect.code(node.value, this.beside(node)));
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

  private styled(
    style: 'strong' | 'emphasis' | 'delete' | 'code',
    children: readonly MarkdownPhrase[],
    beside: Beside,
  ): string {
    const { dialect } = this;
    if (style === 'code') return this.saw('code', dialect.code(this.words(children), beside));
    const content = this.inline(children);
    if (content === '') return '';
    if (style === 'delete') return this.saw('strikethrough', dialect.strikethrough(content, beside));
    return this.saw(style, dialect[style](content, beside));
  }

  private element(tag: Tag, children: readonly MarkdownPhrase[], beside: Beside): string {
    const style = STYLES[tag.name];
    if (style) return this.styled(style, children, beside);
    const address = tag.name === 'a' ? attribute(tag, 'href') : undefined;
    return address === undefined ? this.inline(children) : this.link(address, children);
  }

  private loneTag(tag: Tag, isShown: boolean): string {
    if (tag.name === 'br') return this.dialect.lineBreak();
    if (tag.name === 'wbr' || tag.name === 'hr') return '';
    const address = tag.name === 'img' ? attribute(tag, 'src') : undefined;
    if (address !== undefined && /^https?:/i.test(address)) return this.image(address, attribute(tag, 'alt'));
    return isShown ? this.dialect.text(tag.source) : '';
  }

  /** A block of HTML: its words, in lines. With a tag that no page of text has, it is shown as it is. */
  private page(html: string): string {
    const { dialect } = this;
    const pieces = piecesOf(html);
    const isText = (piece: string): boolean => !piece.startsWith('<') || piece === '<';
    if (!pieces.every((piece) => isText(piece) || isComment(piece) || readTag(piece))) {
      return dialect.paragraph(dialect.text(html));
    }
    const lines: MarkdownPhrase[][] = [[]];
    const add = (node: MarkdownPhrase): void => void lines.at(-1)?.push(node);
    for (const piece of pieces) {
      const tag = readTag(piece);
      if (tag && startsLine(tag) && !(tag.closes && tag.name === 'summary')) lines.push([]);
      if (isComment(piece)) continue;
      if (isText(piece)) add({ type: 'text', value: decodeReferences(piece).replaceAll(/\s+/g, ' ') });
      else add({ type: 'html', value: piece });
      if (tag?.name === 'li' && !tag.closes) add({ type: 'text', value: '- ' });
      if (tag && /^t[dh]$/.test(tag.name) && tag.closes) add({ type: 'text', value: ' ' });
    }
    const texts = lines.map((nodes) => this.inline(nodes, false).trim()).filter((text) => text !== '');
    return texts.map((text) => dialect.paragraph(text)).join(dialect.between(0));
  }

  private words(nodes: readonly MarkdownPhrase[]): string {
    return new Writer(plainDialect, new Set(), this.parsed).inline(nodes);
  }

  private beside(node: MarkdownPhrase): Beside {
    return besides(node, this.parsed.source);
  }

  private link(url: string, children: readonly MarkdownPhrase[]): string {
    const content = this.inline(children);
    if (!isLinkable(url)) return content + this.dialect.text(` (${url})`);
    const words = this.words(children);
    const bare = [url, url.replace(/^(?:mailto:|tel:|http:\/\/)/, '')].includes(words);
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

function starred(dialect: MarkdownDialect, stars: string, content: string): string {
  return dialect.text(stars) + content + dialect.text(stars);
}

function isTight([first, ...rest]: readonly MarkdownBlock[]): boolean {
  return first?.type === 'paragraph' && rest.every((node) => node.type === 'list');
}
