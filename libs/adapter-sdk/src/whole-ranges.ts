/** What reads badly in two parts: links, code in a line, addresses, and emphasis of few words. */
const WHOLE =
  /!?\[[^[\]\n]{1,300}\]\([^()\s]{1,1000}\)|(`{1,3})[^`\n]{1,300}\1(?!`)|https?:\/\/[^\s<>]{1,1000}|<(strong|em|del)>[^<\n]{1,300}<\/\2>|(\*\*|~~)(?=\S)[^*~\n]{1,300}\3/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;

/** Where a text is not to be cut. */
export interface WholeRanges {
  /** Of a text from `start`: the given place, or the start of what it would cut; places count from `start`. */
  from(start: number): (at: number) => number;
}

/** Nothing longer than `maxLength` can stay whole. */
export function wholeRanges(text: string, maxLength: number): WholeRanges {
  const inLines = [...text.matchAll(WHOLE)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }));
  return rangesOf([...fencesOf(text), ...inLines], maxLength);
}

export function rangesOf(given: readonly { start: number; end: number }[], maxLength: number): WholeRanges {
  const ranges: { start: number; end: number }[] = [];
  for (const range of given.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const isWithin = range.start < (ranges.at(-1)?.end ?? 0);
    if (!isWithin && range.end - range.start <= maxLength) ranges.push(range);
  }
  return {
    from: (start) => (at) => {
      const place = start + at;
      let [low, high] = [0, ranges.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ranges[middle]?.start ?? 0) < place) low = middle + 1;
        else high = middle;
      }
      const range = ranges[low - 1];
      return range && place < range.end ? Math.max(range.start - start, 0) : at;
    },
  };
}

function fencesOf(text: string): { start: number; end: number }[] {
  const fences: { start: number; end: number }[] = [];
  let open: { start: number; marker: string } | undefined;
  let at = 0;
  for (const line of text.split('\n')) {
    const [, marker = '', info = ''] = FENCE.exec(line) ?? [];
    const end = at + line.length;
    if (marker !== '' && !open && !(marker.startsWith('`') && info.includes('`'))) open = { start: at, marker };
    else if (open && marker.startsWith(open.marker) && info.trim() === '') {
      fences.push({ start: open.start, end });
      open = undefined;
    }
    at = end + 1;
  }
  return fences;
}
