import { Tokenizer } from 'htmlparser2';
import { type ElementMark, OpenElements } from './open-elements.js';
import { isHidden, kindOf, linkedAddress, quotesTheRest } from './html-marks.js';
import type { LineKind, MailLine } from './mail-line.js';

const BLOCKS = new Set(
  'address article blockquote dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li ol p pre section table tr ul'.split(
    ' ',
  ),
);
/** Attributes that are read; a mail may have any number of others. */
const READ = new Set(['href', 'style', 'class', 'id', 'type', 'hidden', 'alt', 'name', 'src', 'data-marker']);
/** More than programs write; what is behind it is not read. */
const MAX_ATTRIBUTE_LENGTH = 2_000;
/** Of a link's words; more are no address. */
const MAX_LINK_PIECES = 40;
/** What senders fill a preview with, so that nothing of the mail stands in it. */
const FILLERS =
  /(?:\u00ad|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u180e|\u200b|\u2060|\ufeff)+|(?:\u200c|\u200d)(?=\s|\u200c|\u200d|$)/gu;

/**
 * The lines of an HTML mail: one for each block, links with their addresses, without what is hidden. It uses the
 * tokenizer, since the parser above it takes time quadratic in the open tags: ten seconds for 500 KB of `<div>`.
 */
export function htmlLines(html: string): MailLine[] {
  const pieces: { text: string; kind: LineKind }[] = [];
  let toTheEnd = false;
  let name = '';
  let attribute = '';
  let attributes = new Map<string, string>();
  const nothing = (): void => undefined;
  const elements = new OpenElements((mark) => addAddress(mark));
  const add = (text: string): void => {
    if (!elements.isHidden) pieces.push({ text, kind: toTheEnd ? 'quoted' : elements.kind });
  };
  /** The address of a link that ends, unless its words are that address. */
  const addAddress = ({ href, from }: ElementMark): void => {
    if (href === undefined || from === undefined) return;
    const words = pieces
      .slice(from, from + MAX_LINK_PIECES)
      .map(({ text }) => text)
      .join('')
      .trim();
    const address = linkedAddress(href, words);
    if (address !== undefined) add(words === '' ? address : ` (${address})`);
  };
  const opened = (): void => {
    const isBlock = BLOCKS.has(name);
    if (!toTheEnd && quotesTheRest(name, attributes)) toTheEnd = true;
    if ((isBlock || name === 'br') && !elements.isHidden) pieces.push({ text: '\n', kind: 'own' });
    const href = name === 'a' && !elements.isHidden ? attributes.get('href') : undefined;
    elements.enter(name, isBlock, {
      hidden: isHidden(name, attributes),
      ...kindOf(name, attributes),
      ...(href !== undefined && { href, from: pieces.length }),
    });
    if (name === 'li') add('- ');
    if (name === 'td' || name === 'th') add(' ');
    if (name === 'img') add(attributes.get('alt')?.replace(/\s+/g, ' ') ?? '');
    attributes = new Map();
  };
  const value = (text: string): void => {
    if (!READ.has(attribute)) return;
    const before = attributes.get(attribute) ?? '';
    if (before.length < MAX_ATTRIBUTE_LENGTH) attributes.set(attribute, before + text.slice(0, MAX_ATTRIBUTE_LENGTH));
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        name = nameAt(start, end);
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = nameAt(start, end);
        if (READ.has(attribute) && !attributes.has(attribute)) attributes.set(attribute, '');
      },
      onattribdata: (start, end) => value(html.slice(start, end)),
      onattribentity: (codePoint) => value(String.fromCodePoint(codePoint)),
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag(start, end) {
        const closed = nameAt(start, end);
        elements.leave(closed);
        if (BLOCKS.has(closed) && !elements.isHidden) pieces.push({ text: '\n', kind: 'own' });
      },
      ontext: (start, end) => add(html.slice(start, end).replace(/\s+/g, ' ')),
      ontextentity: (codePoint) => add(String.fromCodePoint(codePoint)),
      onattribend: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onprocessinginstruction: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return linesOf(pieces);

  function nameAt(start: number, end: number): string {
    return html.slice(start, end).toLowerCase();
  }
}

/** A line is of the kind of its first words. */
function linesOf(pieces: readonly MailLine[]): MailLine[] {
  const lines: MailLine[] = [];
  let parts: string[] = [];
  let kind: LineKind | undefined;
  const end = (): void => {
    const text = parts
      .join('')
      .replaceAll(FILLERS, '')
      .replaceAll(/[ \u00a0]+/g, ' ')
      .trim();
    // One blank line is enough.
    if (text !== '' || lines.at(-1)?.text !== '') lines.push({ text, kind: kind ?? 'own' });
    parts = [];
    kind = undefined;
  };
  for (const piece of pieces) {
    if (piece.text === '\n') end();
    else {
      parts.push(piece.text);
      if (piece.text.trim() !== '') kind ??= piece.kind;
    }
  }
  end();
  return lines;
}
