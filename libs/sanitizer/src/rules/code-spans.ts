/** Whether all characters from `start` to `end` (exclusive) are in one piece of code. */
export type IsCode = (start: number, end: number) => boolean;

const fenceLine = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm;

/**
 * Where Markdown shows code (CommonMark 4.5 and 6.1): between two fences, or two runs of equally many backticks in one
 * paragraph. Unclosed code is not code. Linear in the text.
 */
export function codeIn(text: string): IsCode {
  if (!text.includes('`') && !text.includes('~~~')) return () => false;
  const fenced = fencedBlocks(text);
  const ranges: Range[] = [];
  let from = 0;
  for (const block of fenced) {
    ranges.push(...inlineSpans(text, from, block.start), block);
    from = block.end;
  }
  ranges.push(...inlineSpans(text, from, text.length));
  return (start, end) => {
    const range = ranges[lastStartingBy(ranges, start)];
    return range !== undefined && end <= range.end;
  };
}

interface Range {
  start: number;
  end: number;
}

function fencedBlocks(text: string): Range[] {
  const blocks: Range[] = [];
  let open: { start: number; fence: string } | null = null;
  for (const match of text.matchAll(fenceLine)) {
    const [line, fence = '', rest = ''] = match;
    if (open === null) {
      // The text after an opening backtick fence contains no backtick: otherwise it is an inline span.
      if (fence.startsWith('~') || !rest.includes('`')) open = { start: match.index, fence };
    } else if (fence[0] === open.fence[0] && fence.length >= open.fence.length && rest.trim() === '') {
      blocks.push({ start: open.start, end: match.index + line.length });
      open = null;
    }
  }
  return blocks;
}

function inlineSpans(text: string, from: number, to: number): Range[] {
  const spans: Range[] = [];
  let at = from;
  for (const paragraph of text.slice(from, to).split(/\n[ \t]*\n/)) {
    const start = text.indexOf(paragraph, at);
    at = start + paragraph.length;
    const runs = [...paragraph.matchAll(/`+/g)].map((run) => ({ start: start + run.index, length: run[0].length }));
    spans.push(...closedRuns(runs));
  }
  return spans;
}

/** Each run that opens a span closes at the next one of its length; those in between belong to the code. */
function closedRuns(runs: { start: number; length: number }[]): Range[] {
  const spans: Range[] = [];
  const next = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    const { length } = runs[index] ?? { length: 0 };
    closing[index] = next.get(length) ?? -1;
    next.set(length, index);
  }
  for (let index = 0; index < runs.length; index += 1) {
    const [open, close] = [runs[index], runs[closing[index] ?? -1]];
    if (!open || !close) continue;
    spans.push({ start: open.start, end: close.start + close.length });
    index = closing[index] ?? index;
  }
  return spans;
}

/** The index of the last range that starts at or before an offset, or -1. */
function lastStartingBy(ranges: readonly Range[], offset: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
