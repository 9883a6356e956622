/** An open Markdown code fence: its marker (three or more backticks or tildes) and the text after it, such as `js`. */
interface Fence {
  marker: string;
  info: string;
}

/** A break below this share of the limit is skipped for a lesser one, because it would make a needlessly short part. */
const MIN_FILL = 0.3;

/**
 * The text in parts of at most `maxLength` UTF-16 code units, cut at a blank line, else a line, else a space, else
 * between two graphemes. A code fence that is cut is closed and reopened. Only the white space at a cut is dropped. The
 * same input always gives the same parts, which `from_part` relies on.
 */
export function splitText(text: string, maxLength: number): string[] {
  if (!Number.isInteger(maxLength) || maxLength < 1) throw new RangeError('maxLength must be a positive integer');
  const parts: string[] = [];
  let rest = text;
  let fence: Fence | undefined;
  while (rest !== '') {
    const prefix = fence ? openingLine(fence) : '';
    if (prefix.length + rest.length <= maxLength) {
      push(parts, prefix + rest);
      break;
    }
    const budget = maxLength - prefix.length;
    let cut = findCut(rest, budget);
    let open = fenceAfter(rest.slice(0, cut.end), fence, maxLength);
    if (open && cut.end + closingLine(open).length > budget) {
      cut = findCut(rest, budget - closingLine(open).length);
      open = fenceAfter(rest.slice(0, cut.end), fence, maxLength);
    }
    const chunk = rest.slice(0, cut.end);
    push(parts, prefix + chunk + (open ? closingLine(open) : ''));
    // Blank lines inside code belong to the code.
    rest = rest.slice(open ? Math.min(cut.next, cut.end + 1) : cut.next);
    fence = open;
  }
  return parts;
}

function push(parts: string[], part: string): void {
  if (part.trim() !== '') parts.push(part);
}

interface Cut {
  end: number;
  /** Where the next part starts: after the white space that the cut replaces. */
  next: number;
}

function findCut(text: string, limit: number): Cut {
  const window = text.slice(0, limit + 1);
  const least = Math.max(1, Math.floor(limit * MIN_FILL));
  const blank = text.slice(0, limit + 2).lastIndexOf('\n\n', limit);
  if (blank >= least) return { end: blank, next: blank + 2 };
  const line = window.lastIndexOf('\n');
  if (line >= least) return { end: line, next: line + 1 };
  const space = window.lastIndexOf(' ');
  if (space >= least) return { end: space, next: space + 1 };
  const any = Math.max(line, space);
  if (any > 0) return { end: any, next: any + 1 };
  const between = graphemeBoundary(text, limit);
  return { end: between, next: between };
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const LOOK_BEHIND = 64;

function graphemeBoundary(text: string, limit: number): number {
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
