import { isBroadcastName, type Mentions, neutraliseBroadcasts } from '../broadcast-mentions.js';
import { besides, endOf, isStars, startOf } from './emphasis-marks.js';
import { decodeReferences, isComment, pairsOf, piecesOf, readTag, STYLES } from './inline-html.js';
import { type Parsed, parseMarkdown } from './parse-markdown.js';
import type { MarkdownBlock, MarkdownPhrase } from './tree.js';

const ZERO_WIDTH_SPACE = '\u200b';
/** An `@` as a reader sees it: itself, behind a backslash, or by a character reference. */
const AT = /\\?@|&(?:#0{0,5}64|#x0{0,5}40|commat);/gi;
const LATEX =
  /\\\((?:[^\\]|\\[^()[])*\\\)|\\\[(?:[^\\]|\\[^\][(])*\\\]|(?<![$\\])\$(?![\s$])[^$`\n]*(?<!\s)\$(?![\w$])/g;
const MARKS = /[\\`*_{}[\]<#|~&]/g;
const TAGS = { emphasis: 'em', strong: 'strong', delete: 'del' } as const;

type Node = MarkdownBlock | MarkdownPhrase;

/**
 * Markdown for a channel that reads Markdown itself, changed only where it would show or do something else there:
 * mentions outside code notify nobody. With `asGithub`, formulas, stars in words, tags of no page (`List<String>`) and
 * emphasis beside writing without spaces are written so that CommonMark shows them as they are meant.
 */
export function rewriteMarkdown(markdown: string, mentions: Mentions, { asGithub = false } = {}): string {
  return parseMarkdown(markdown)
    .map((stretch) =>
      'text' in stretch
        ? neutraliseBroadcasts(stretch.text, mentions)
        : new Rewriting(stretch, mentions, asGithub).result(),
    )
    .join('\n');
}

class Rewriting {
  private readonly edits: { at: number; end: number; by: string }[] = [];

  constructor(
    private readonly parsed: Parsed,
    private readonly mentions: Mentions,
    private readonly asGithub: boolean,
  ) {}

  result(): string {
    const { tree, source, standIn } = this.parsed;
    this.all(tree.children, true);
    let [text, from] = ['', 0];
    for (const { at, end, by } of this.edits.toSorted((one, other) => one.at - other.at)) {
      text += source.slice(from, at) + by;
      from = Math.max(from, end);
    }
    text += source.slice(from);
    return standIn === '' ? text : text.replaceAll(standIn, '');
  }

  private all(nodes: readonly Node[], isBlock = false): void {
    const tags = nodes.map((node) => (node.type === 'html' ? readTag(node.value) : undefined));
    const pairs = pairsOf(tags);
    const closed = new Set(pairs.values());
    for (let at = 0; at < nodes.length; at += 1) {
      const [node, tag, end] = [nodes[at], tags[at], pairs.get(at)];
      if (!node) continue;
      if (tag && end !== undefined && STYLES[tag.name] === 'code') at = end;
      else if (node.type === 'html') this.html(node, isBlock || end !== undefined || closed.has(at));
      else this.one(node, at === nodes.length - 1);
    }
  }

  private one(node: Node, isLast: boolean): void {
    switch (node.type) {
      case 'text':
        return this.text(startOf(node), endOf(node), isLast);
      case 'emphasis':
      case 'strong':
      case 'delete':
        this.emphasis(node);
        return this.all(node.children);
      case 'link':
        // The text of a bare address is where it leads.
        return this.parsed.source[startOf(node)] === '[' ? this.all(node.children) : undefined;
      case 'linkReference':
        return node.referenceType === 'full' ? this.all(node.children) : undefined;
      case 'list':
        for (const item of node.children) this.all(item.children, true);
        return;
      case 'table':
        for (const cell of node.children.flatMap((row) => row.children)) this.all(cell.children);
        return;
      case 'blockquote':
      case 'footnoteDefinition':
        return this.all(node.children, true);
      case 'paragraph':
      case 'heading':
        return this.all(node.children);
      default:
    }
  }

  private text(start: number, end: number, isLast: boolean): void {
    const slice = this.parsed.source.slice(start, end);
    for (const { 0: found, index } of slice.matchAll(AT)) {
      const behind = index + found.length;
      if (this.notifies(slice[index - 1] ?? '', slice.slice(behind, behind + 60), isLast)) {
        this.edit(start + behind, start + behind, ZERO_WIDTH_SPACE);
      }
    }
    if (!this.asGithub) return;
    for (const { 0: latex, index } of slice.matchAll(LATEX)) {
      const written = latex.startsWith('$') ? quotedLatex(latex) : latex.replaceAll(MARKS, String.raw`\$&`);
      if (written !== latex && !latex.includes('@')) this.edit(start + index, start + index + latex.length, written);
    }
  }

  /** A name may also follow in the next node, `@<!-- -->name`. In a mail address a letter stands before. */
  private notifies(before: string, after: string, isLast: boolean): boolean {
    if (/\w/.test(before) || after.startsWith(ZERO_WIDTH_SPACE) || /^\s/.test(after)) return false;
    if (after === '') return !isLast;
    return this.mentions === 'all' || isBroadcastName(decodeReferences(after).replaceAll('\\', ''));
  }

  private emphasis(node: Extract<MarkdownPhrase, { type: keyof typeof TAGS }>): void {
    if (!this.asGithub) return;
    const { source, standIn } = this.parsed;
    const [start, end, length] = [startOf(node), endOf(node), node.type === 'emphasis' ? 1 : 2];
    if (isStars(node, source)) {
      const stars = String.raw`\*`.repeat(length);
      this.edit(start, start + length, stars);
      this.edit(end - length, end, stars);
      return;
    }
    const { before, after } = besides(node, source);
    if (standIn === '' || ![before, after].includes(standIn)) return;
    this.edit(start, start + length, `<${TAGS[node.type]}>`);
    this.edit(end - length, end, `</${TAGS[node.type]}>`);
  }

  private html(node: Extract<Node, { type: 'html' }>, isPaired: boolean): void {
    let at = startOf(node);
    for (const piece of piecesOf(this.parsed.source.slice(at, endOf(node)))) {
      const special = neutraliseBroadcasts(piece, this.mentions);
      if (isComment(piece)) at += 0;
      else if (!piece.startsWith('<') || piece === '<') this.text(at, at + piece.length, false);
      else if (special !== piece && piece.startsWith('<!')) this.edit(at, at + piece.length, special);
      else if (this.asGithub && !isOfPage(piece, isPaired)) {
        this.edit(at, at + 1, '&lt;');
      }
      at += piece.length;
    }
  }

  private edit(at: number, end: number, by: string): void {
    this.edits.push({ at, end, by });
  }
}

/** A lone tag in a line of words is meant as words, unless it needs no end. */
function isOfPage(piece: string, hasEnd: boolean): boolean {
  const tag = readTag(piece);
  if (!tag) return /^<\/?pre[\s>]/i.test(piece);
  return hasEnd || /^(?:br|hr|wbr|img)$/.test(tag.name);
}

/** A formula that GitHub takes whole, where Markdown would see marks in it. */
function quotedLatex(latex: string): string {
  const formula = latex.slice(1, -1);
  return /[*_\\<[~]/.test(formula) ? `$\`${formula}\`$` : latex;
}
