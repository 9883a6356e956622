import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { withStandIns } from './emphasis-marks.js';
import { latexText } from './latex-text.js';
import type { MarkdownRoot } from './tree.js';

/** Texts up to this length are parsed as one document; longer ones in stretches, divided at blank lines. */
const WHOLE_LENGTH = 10_000;
/** Parsing can be quadratic in the length: a longer stretch without a blank line is not parsed as Markdown. */
const MAX_STRETCH_LENGTH = 40_000;
/** Quotes and lists nested deeper than this are text: the parser recurses, and its time is quadratic in the depth. */
const MAX_NESTING = 32;

const DEEPER = new RegExp(`^((?: {0,3}(?:>|(?:[*+-]|\\d{1,9}[.)])(?= )) ?){${MAX_NESTING}})(?=.)`);
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** HTML that a blank line does not end, and its end. */
const RAW_HTML: [RegExp, RegExp][] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
];

/** A stretch of text: its tree, or the text itself if it was not parsed as Markdown. */
export type Stretch = Parsed | { text: string };

export interface Parsed {
  tree: MarkdownRoot;
  /** What the positions in the tree count in. */
  source: string;
  /** A sign in the source that is no part of the text, nor of the tree; empty: there is none. */
  standIn: string;
}

/**
 * GitHub-flavoured Markdown as mdast trees. A single tilde does not strike text out, because agents write `~5` for
 * "about 5". In a text of more than 10,000 characters, a reference finds its definition only within its own stretch.
 */
export function parseMarkdown(markdown: string): Stretch[] {
  const text = markdown.toWellFormed().replaceAll('\r\n', '\n').split('\n').map(flatten).join('\n');
  return (text.length <= WHOLE_LENGTH ? [text] : stretches(text)).map((stretch) =>
    stretch.length > MAX_STRETCH_LENGTH && !FENCE.test(stretch) ? { text: stretch } : parse(stretch),
  );
}

function parse(stretch: string): Parsed {
  const { text, standIn } = withStandIns(stretch);
  const tree = fromMarkdown(text, {
    extensions: [gfm({ singleTilde: false }), latexText],
    mdastExtensions: [gfmFromMarkdown()],
  });
  if (standIn !== '') clear(tree, standIn);
  return { tree, source: text, standIn };
}

/** Texts, code and addresses without the sign. */
function clear(node: object, standIn: string): void {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'string') Object.assign(node, { [key]: value.replaceAll(standIn, '') });
    else if (key === 'children' && Array.isArray(value)) for (const child of value) clear(child, standIn);
  }
}

function flatten(line: string): string {
  const markers = DEEPER.exec(line)?.[1];
  return markers === undefined ? line : `${markers}\\${line.slice(markers.length)}`;
}

/** Cuts the text where a blank line outside code is followed by a line without indentation. */
function stretches(text: string): string[] {
  const found: string[] = [];
  let current: string[] = [];
  let fence: string | undefined;
  let html: RegExp | undefined;
  let afterBlank = false;
  for (const line of text.split('\n')) {
    if (fence === undefined && html === undefined && afterBlank && /^\S/.test(line)) {
      found.push(current.join('\n'));
      current = [];
    }
    if (fence === undefined) html ??= RAW_HTML.find(([opens]) => opens.test(line))?.[1];
    if (html !== undefined) {
      if (html.test(line)) html = undefined;
      afterBlank = line.trim() === '';
      current.push(line);
      continue;
    }
    const marker = FENCE.exec(line)?.[1];
    if (marker && fence === undefined) fence = marker;
    else if (marker && fence !== undefined && marker.startsWith(fence)) fence = undefined;
    afterBlank = line.trim() === '';
    current.push(line);
  }
  return [...found, current.join('\n')];
}
