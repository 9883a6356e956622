import type { IsCode } from '../rules/code-spans.js';

const opening = /^(`{3,}|~{3,})([^\n]*)$/;
/** Makes renderers disagree about the fences after it: fences in lists and quotes, and HTML. */
const unclear = /`{3}|~{3}|<[a-z!?/]/i;

/**
 * Where every renderer shows code: between fences at the start of their lines, provided nothing before them lets
 * renderers disagree about where code begins. Images elsewhere that only look like code might be loaded.
 */
export function certainCodeIn(text: string): IsCode {
  const ranges: { start: number; end: number }[] = [];
  let open: { start: number; fence: string } | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const end = at + line.length;
    const [, fence = '', rest = ''] = opening.exec(line) ?? [];
    if (open === null) {
      if (fence !== '' && !rest.includes('`') && !rest.includes('~')) open = { start: at, fence };
      else if (unclear.test(line)) break;
    } else if (fence[0] === open.fence[0] && fence.length >= open.fence.length && rest.trim() === '') {
      ranges.push({ start: open.start, end });
      open = null;
    }
    at = end + 1;
  }
  let index = 0;
  let last = 0;
  return (start, end) => {
    if (start < last) index = 0;
    last = start;
    while ((ranges[index]?.end ?? Number.POSITIVE_INFINITY) < start) index += 1;
    const range = ranges[index];
    return range !== undefined && range.start <= start && end <= range.end;
  };
}
