import { escapeHtml } from '#libs/adapter-sdk';
import { decodeEntities } from './telegram-html.js';

interface Tag {
  /** Offset in the visible text. */
  at: number;
  source: string;
  name: string;
  closes: boolean;
}

/** A break below this share of the limit is skipped for a weaker one: the part would be needlessly short. */
const MIN_FILL = 0.3;

/**
 * The HTML in parts of at most `limit` visible UTF-16 code units, which is how Telegram counts. It is cut at a blank
 * line, else a line end, else a space; open tags are closed there and reopened in the next part.
 */
export function splitHtml(html: string, limit: number): string[] {
  const { text, tags } = read(html);
  const parts: string[] = [];
  let open: Tag[] = [];
  let start = 0;
  while (start < text.length) {
    const end = cutEnd(text, start, limit);
    let part = open.map(({ source }) => source).join('');
    let at = start;
    for (let tag = tags[0]; tag && (tag.at < end || (tag.at === end && tag.closes)); tag = tags[0]) {
      tags.shift();
      part += escapeHtml(text.slice(at, Math.max(at, tag.at))) + tag.source;
      at = Math.max(at, tag.at);
      open = tag.closes ? withoutLast(open, tag.name) : [...open, tag];
    }
    part +=
      escapeHtml(text.slice(at, end)) +
      open
        .toReversed()
        .map(({ name }) => `</${name}>`)
        .join('');
    if (text.slice(start, end).trim() !== '') parts.push(part);
    start = behindBreak(text, end);
  }
  return parts;
}

function read(html: string): { text: string; tags: Tag[] } {
  const tags: Tag[] = [];
  let text = '';
  for (const piece of html.match(/<[^>]*>|[^<]+|</g) ?? []) {
    const [, slash, name] = /^<(\/?)([a-z][a-z0-9-]*)[^>]*>$/i.exec(piece) ?? [];
    if (name === undefined) text += decodeEntities(piece);
    else tags.push({ at: text.length, source: piece, name, closes: slash === '/' });
  }
  return { text, tags };
}

function withoutLast(open: readonly Tag[], name: string): Tag[] {
  const index = open.findLastIndex((tag) => tag.name === name);
  return open.filter((_tag, position) => position !== index);
}

function cutEnd(text: string, start: number, limit: number): number {
  if (text.length - start <= limit) return text.length;
  const window = text.slice(start, start + limit + 1);
  const least = Math.max(1, Math.floor(limit * MIN_FILL));
  const best = ['\n\n', '\n', ' '].map((mark) => window.lastIndexOf(mark, limit)).find((index) => index >= least);
  if (best !== undefined) return start + best;
  const last = text.charCodeAt(start + limit - 1);
  const splitsPair = limit > 1 && last >= 0xd800 && last <= 0xdbff;
  return start + limit - (splitsPair ? 1 : 0);
}

/** Where the next part starts: after the line ends or spaces that the cut replaces, so that code keeps its indent. */
function behindBreak(text: string, end: number): number {
  const mark = text[end];
  let next = end;
  if (mark === '\n' || mark === ' ') while (text[next] === mark) next += 1;
  return next;
}
