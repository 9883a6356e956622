import { fromMarkdown } from 'mdast-util-from-markdown';

/** Tags that only style what is between them, by what they do. */
export const STYLES: Record<string, 'strong' | 'emphasis' | 'delete' | 'code'> = {
  b: 'strong',
  strong: 'strong',
  summary: 'strong',
  i: 'emphasis',
  em: 'emphasis',
  del: 'delete',
  s: 'delete',
  strike: 'delete',
  code: 'code',
  kbd: 'code',
  samp: 'code',
  tt: 'code',
};
/** Of these a reader sees only what is between them. */
const TRANSPARENT = new Set(
  'u ins mark small sub sup span var abbr dfn q cite font wbr a img details div p center section ul ol li dl dt dd table thead tbody tfoot tr td th caption figure figcaption h1 h2 h3 h4 h5 h6 hr blockquote br'.split(
    ' ',
  ),
);
const LINES = new Set(
  'details summary div p center section ul ol li dl dt dd table tr caption figure figcaption h1 h2 h3 h4 h5 h6 hr blockquote'.split(
    ' ',
  ),
);

/** A tag of HTML as a reader of the page takes it; its name in lower case. */
export interface Tag {
  name: string;
  closes: boolean;
  source: string;
}

/** The tag that a piece of HTML is; `undefined`: none, or one that pages of text do not have, `List<String>`. */
export function readTag(source: string): Tag | undefined {
  const [, slash, given = ''] = /^<(\/?)([a-z][a-z0-9]*)(?![\w-])[^<]*>$/i.exec(source) ?? [];
  const name = given.toLowerCase();
  return slash !== undefined && (Object.hasOwn(STYLES, name) || TRANSPARENT.has(name))
    ? { name, closes: slash === '/', source }
    : undefined;
}

export const isComment = (html: string): boolean => html.startsWith('<!--');

/** Whether the tag begins or ends a line of its own. */
export const startsLine = ({ name }: Tag): boolean => LINES.has(name);

export function attribute({ source }: Tag, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(source);
  return found ? decodeReferences(found[1] ?? found[2] ?? found[3] ?? '') : undefined;
}

/** Tags, comments and the texts between them. */
export function piecesOf(html: string): string[] {
  return html.match(/<!--[^]*?(?:-->|$)|<[^<>]*>|[^<]+|</g) ?? [];
}

const REFERENCE = /&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,31});/gi;

/** Character references as characters; the parser knows their names. */
export function decodeReferences(text: string): string {
  return text.replaceAll(REFERENCE, (reference) => {
    const [paragraph] = fromMarkdown(reference).children;
    const [node] = paragraph?.type === 'paragraph' ? paragraph.children : [];
    return node?.type === 'text' ? node.value : reference;
  });
}

const MAX_DEPTH = 8;

const VOID = new Set(['br', 'hr', 'img', 'wbr']);

/** Where each opening tag of a list of tags is closed; deeper ones than eight are no pair. Linear. */
export function pairsOf(tags: readonly (Tag | undefined)[]): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: { name: string; at: number }[] = [];
  for (const [at, tag] of tags.entries()) {
    if (!tag || VOID.has(tag.name)) continue;
    if (!tag.closes) {
      if (open.length < MAX_DEPTH) open.push({ name: tag.name, at });
      continue;
    }
    const index = open.findLastIndex(({ name }) => name === tag.name);
    if (index < 0) continue;
    pairs.set(open[index]?.at ?? at, at);
    open.length = index;
  }
  return pairs;
}
