import { wholeRanges } from './whole-ranges.js';

/** An open Markdown code fence: its marker (three or more backticks or tildes) and the text after it, such as `js`. */
interface Fence {
  marker: string;
  info: string;
}

/** A break below this share of the limit is skipped for a lesser one, because it would make a needlessly short part. */
const MIN_FILL = 0.3;
/** How many lower limits are tried so that the last part is no scrap, and up to how many parts. */
const TRIES = 8;
const MOST_EVENED = 20;

/**
 * The text in parts of at most `maxLength` UTF-16 code units, cut at a blank line, else a line, else a space, else
 * between two graphemes; not within a link, an address, code or short emphasis that fits into a part. They are of even
 * size where that needs neither more parts nor worse cuts. A code fence that is cut is closed and reopened. Only the
 * white space at a cut is dropped. The same input always gives the same parts, which `from_part` relies on.
 */
export function splitText(text: string, maxLength: number): string[] {
  if (!Number.isInteger(maxLength) || maxLength < 1) throw new RangeError('maxLength must be a positive integer');
  const given = text.toWellFormed();
  return evenParts(maxLength, given.length, (limit) => split(given, limit));
}

/** As much of the text as fits into one part. */
export function firstPart(text: string, maxLength: number): string {
  return split(text.toWellFormed(), maxLength).parts[0] ?? '';
}

/** Parts of a text, and how bad their cuts are together. */
export interface Division {
  parts: string[];
  cost: number;
}

/** The division with the lowest limit that needs no more parts and no worse cuts than the one with the highest. */
export function evenParts(limit: number, total: number, divide: (limit: number) => Division): string[] {
  const longest = divide(limit);
  const count = longest.parts.length;
  if (count < 2 || count > MOST_EVENED) return longest.parts;
  const least = Math.max(1, Math.ceil(total / count));
  for (let tried = 0; tried < TRIES; tried += 1) {
    const lower = least + Math.ceil((limit - least) * (tried / TRIES) ** 2);
    if (lower >= limit) break;
    const { parts, cost } = divide(lower);
    if (parts.length <= count && cost <= longest.cost) return parts;
  }
  return longest.parts;
}

function split(text: string, maxLength: number): Division {
  const ranges = wholeRanges(text, maxLength);
  const parts: string[] = [];
  let [rest, fence, cost] = [text, undefined as Fence | undefined, 0];
  while (rest !== '') {
    const prefix = fence ? openingLine(fence) : '';
    if (prefix.length + rest.length <= maxLength) {
      push(parts, prefix + rest);
      break;
    }
    const budget = maxLength - prefix.length;
    const whole = ranges.from(text.length - rest.length);
    let cut = findCut(rest, budget, whole);
    let open = fenceAfter(rest.slice(0, cut.end), fence, maxLength);
    if (open && cut.end + closingLine(open).length > budget) {
      cut = findCut(rest, budget - closingLine(open).length, whole);
      open = fenceAfter(rest.slice(0, cut.end), fence, maxLength);
    }
    const chunk = rest.slice(0, cut.end);
    push(parts, prefix + chunk + (open ? closingLine(open) : ''));
    // Blank lines inside code belong to the code.
    rest = rest.slice(open ? Math.min(cut.next, cut.end + 1) : cut.next);
    fence = open;
    cost += cut.cost;
  }
  return { parts, cost };
}

function push(parts: string[], part: string): void {
  if (part.trim() !== '') parts.push(part);
}

interface Cut {
  end: number;
  /** Where the next part starts: after the white space that the cut replaces. */
  next: number;
  cost: number;
}

function findCut(text: string, limit: number, whole: (at: number) => number): Cut {
  const least = Math.max(1, Math.floor(limit * MIN_FILL));
  const kinds = ['\n\n', '\n', ' '].map((mark, cost) => {
    const end = lastOutside(text, mark, limit, whole);
    return { end, next: end + mark.length, cost };
  });
  const found = kinds.find(({ end }) => end >= least);
  if (found) return found;
  const any = kinds.slice(1).toSorted((one, other) => other.end - one.end)[0];
  if (any && any.end > 0) return any;
  const outside = whole(limit);
  const isWithin = outside > 0 && outside < limit;
  const between = isWithin ? outside : graphemeBoundary(text, limit);
  return { end: between, next: between, cost: isWithin ? 2 : 3 };
}

function lastOutside(text: string, mark: string, limit: number, whole: (at: number) => number): number {
  const window = text.slice(0, limit + mark.length);
  let at = window.lastIndexOf(mark, limit);
  for (let outside = whole(at); at > 0 && outside < at; outside = whole(at)) at = window.lastIndexOf(mark, outside);
  return at;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const LOOK_BEHIND = 64;

/** The last place at or before `limit` that is within no grapheme. */
export function graphemeBoundary(text: string, limit: number): number {
  const from = Math.max(0, limit - LOOK_BEHIND);
  const at = segmenter.segment(text.slice(from, limit + LOOK_BEHIND)).containing(limit - from)?.index ?? 0;
  if (from + at > 0 && at > 0) return from + at;
  const splitsPair = limit > 1 && isHighSurrogate(text.charCodeAt(limit - 1));
  return splitsPair ? limit - 1 : limit;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function openingLine(fence: Fence): string {
  return `${fence.marker}${fence.info}\n`;
}

function closingLine(fence: Fence): string {
  return `\n${fence.marker}`;
}

/**
 * The fence that is open at the end of a chunk that started inside `before`. A fence whose two extra lines would take
 * more than half of a part loses its info, and if that is not enough is not continued: a part must have room for text.
 */
function fenceAfter(chunk: string, before: Fence | undefined, maxLength: number): Fence | undefined {
  let open = before;
  for (const line of chunk.split('\n')) {
    const match = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/.exec(line);
    if (!match) continue;
    const marker = match[1] ?? '';
    const info = (match[2] ?? '').trim();
    if (!open) {
      // A line like ```code``` is inline code.
      if (!(marker.startsWith('`') && info.includes('`'))) open = { marker, info };
    } else if (info === '' && marker[0] === open.marker[0] && marker.length >= open.marker.length) {
      open = undefined;
    }
  }
  if (!open) return undefined;
  const room = Math.floor(maxLength / 2);
  const bare = { marker: open.marker, info: '' };
  return [open, bare].find((fence) => openingLine(fence).length + closingLine(fence).length <= room);
}
