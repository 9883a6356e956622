import { type Division, escapeHtml, evenParts, graphemeBoundary, rangesOf } from '#libs/adapter-sdk';
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
/** Telegram shows no more in one message; it leaves the marks of the rest out. */
const MAX_ENTITIES = 100;
/** Telegram finds these itself. */
const FOUND = /https?:\/\/[^\s<>]{1,1000}|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}/g;

/**
 * The HTML in parts of at most `limit` visible UTF-16 code units and 100 entities, which is how Telegram counts. It is
 * cut at a blank line, else a line end, else a space, not within a link or code that fits into a part; open tags are
 * closed there and reopened in the next part. Parts are of even size where that needs no more of them.
 */
export function splitHtml(html: string, limit: number): string[] {
  const { text, tags } = read(html.toWellFormed());
  const found = [...text.matchAll(FOUND)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }));
  const starts = [...tags.filter(isEntity).map(({ at }) => at), ...found.map(({ start }) => start)];
  const entities = starts.toSorted((one, other) => one - other);
  const ranges = [...found, ...spansOf(tags)];
  return evenParts(limit, text.length, (most) => divide({ text, tags, entities, whole: rangesOf(ranges, most) }, most));
}

interface Content {
  text: string;
  tags: readonly Tag[];
  /** Where each entity begins. */
  entities: readonly number[];
  whole: ReturnType<typeof rangesOf>;
}

function divide({ text, tags, entities, whole }: Content, limit: number): Division {
  const parts: string[] = [];
  let [open, start, next, cost, seen] = [[] as Tag[], 0, 0, 0, 0];
  while (start < text.length) {
    while ((entities[seen] ?? text.length) < start) seen += 1;
    const tooMany = entities[seen + MAX_ENTITIES - open.length] ?? text.length;
    const cut = cutEnd(text, start, Math.max(1, Math.min(limit, tooMany - start)), whole.from(start));
    const { end } = cut;
    let part = open.map(({ source }) => source).join('');
    let at = start;
    for (let tag = tags[next]; tag && (tag.at < end || (tag.at === end && tag.closes)); tag = tags[next]) {
      next += 1;
      part += escapeHtml(text.slice(at, Math.max(at, tag.at))) + tag.source;
      at = Math.max(at, tag.at);
      open = tag.closes ? withoutLast(open, tag.name) : [...open, tag];
    }
    const closing = open.toReversed().map(({ name }) => `</${name}>`);
    part += escapeHtml(text.slice(at, end)) + closing.join('');
    if (text.slice(start, end).trim() !== '') parts.push(part);
    start = behindBreak(text, end);
    cost += cut.cost;
  }
  return { parts, cost };
}

/** The language of a block of code is no entity of its own. */
function isEntity({ closes, source }: Tag): boolean {
  return !closes && !/^<code\s/i.test(source);
}

/** Links and code from tag to tag. */
function spansOf(tags: readonly Tag[]): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  const open = new Map<string, number>();
  for (const { name, at, closes } of tags) {
    if (!['a', 'code', 'pre'].includes(name)) continue;
    if (!closes) open.set(name, at);
    else spans.push({ start: open.get(name) ?? at, end: at });
  }
  return spans;
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

function cutEnd(
  text: string,
  start: number,
  limit: number,
  whole: (at: number) => number,
): { end: number; cost: number } {
  if (text.length - start <= limit) return { end: text.length, cost: 0 };
  const window = text.slice(start, start + limit + 1);
  const least = Math.max(1, Math.floor(limit * MIN_FILL));
  for (const [cost, mark] of ['\n\n', '\n', ' '].entries()) {
    let at = window.lastIndexOf(mark, limit);
    for (let outside = whole(at); at > 0 && outside < at; outside = whole(at)) at = window.lastIndexOf(mark, outside);
    if (at >= least) return { end: start + at, cost };
  }
  const outside = whole(limit);
  if (outside > 0 && outside < limit) return { end: start + outside, cost: 2 };
  return { end: start + Math.max(1, graphemeBoundary(window, limit)), cost: 3 };
}

/** Where the next part starts: after the line ends or spaces that the cut replaces, so that code keeps its indent. */
function behindBreak(text: string, end: number): number {
  const mark = text[end];
  let next = end;
  if (mark === '\n' || mark === ' ') while (text[next] === mark) next += 1;
  return next;
}
