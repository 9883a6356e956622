import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { MarkdownRoot } from './tree.js';

/** Texts up to this length are parsed as one document; longer ones in stretches, divided at blank lines. */
const WHOLE_LENGTH = 10_000;
/** Parsing can be quadratic in the length: a longer stretch without a blank line is not parsed as Markdown. */
const MAX_STRETCH_LENGTH = 40_000;
/** Quotes and lists nested deeper than this are text: the parser recurses, and its time is quadratic in the depth. */
const MAX_NESTING = 32;

const DEEPER = new RegExp(`^((?: {0,3}(?:>|(?:[*+-]|\\d{1,9}[.)])(?= )) ?){${MAX_NESTING}})(?=.)`);
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** A stretch of text: its tree, or the text itself if it was not parsed as Markdown. */
export type Stretch = { tree: MarkdownRoot } | { text: string };

/**
 * GitHub-flavoured Markdown as mdast trees. A single tilde does not strike text out, because agents write `~5` for
 * "about 5". In a text of more than 10,000 characters, a reference finds its definition only within its own stretch.
 */
export function parseMarkdown(markdown: string): Stretch[] {
  const text = markdown.replaceAll('\r\n', '\n').split('\n').map(flatten).join('\n');
  return (text.length <= WHOLE_LENGTH ? [text] : stretches(text)).map((stretch) =>
    stretch.length > MAX_STRETCH_LENGTH && !FENCE.test(stretch) ? { text: stretch } : { tree: parse(stretch) },
  );
}

function parse(text: string): MarkdownRoot {
  return fromMarkdown(text, {
    extensions: [gfm({ singleTilde: false })],
    mdastExtensions: [gfmFromMarkdown()],
  });
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
  let afterBlank = false;
  for (const line of text.split('\n')) {
    if (fence === undefined && afterBlank && /^\S/.test(line)) {
      found.push(current.join('\n'));
      current = [];
    }
    const marker = FENCE.exec(line)?.[1];
    if (marker && fence === undefined) fence = marker;
    else if (marker && fence !== undefined && marker.startsWith(fence)) fence = undefined;
    afterBlank = line.trim() === '';
    current.push(line);
  }
  return [...found, current.join('\n')];
}
