import { fenceExplanation } from '#libs/sanitizer';

/** One list of an answer. */
export interface PartList {
  name: string;
  /** Its share of the room where that is too small for all, in proportion to those of the others. */
  weight: number;
  parts: string[];
}

const between = '\n\n';
const noteChars = 150;

const beginning = (first: string): string => `${fenceExplanation}${between}${first}`;
const lengthOf = (parts: readonly string[]): number =>
  parts.reduce((length, part) => length + between.length + part.length, 0);

/**
 * Several lists in an answer of at most so many characters. Each gets what it needs of its share, and those before it
 * what then is over. Of a list that is too long, its beginning and its end say most.
 */
export function sharedRoom(first: string, lists: PartList[], mostChars: number): string {
  const head = beginning(first);
  const filled = lists.filter(({ parts }) => parts.length > 0);
  let left = mostChars - head.length - noteChars * filled.length;
  const weights = filled.reduce((sum, { weight }) => sum + weight, 0);
  const kept = filled.map(({ weight, parts }) => Math.min(lengthOf(parts), Math.floor((left * weight) / weights)));
  const reported = [head];
  for (const [at, { name, parts }] of filled.entries()) {
    const later = kept.slice(at + 1).reduce((sum, each) => sum + each, 0);
    const { begin, end } = ends(parts, left - later);
    left -= lengthOf([...begin, ...end]);
    const missing = parts.length - begin.length - end.length;
    const note = `${missing} of ${parts.length} ${name} are left out here: ask again with list ${name} and from ${begin.length}.`;
    reported.push(...begin, ...(missing > 0 ? [note] : []), ...end);
  }
  return reported.join(between);
}

/** The entries of one list from this one on (0: the first), as many as fit, and where to go on. */
export function pagedRoom(first: string, parts: string[], from: number, mostChars: number): string {
  const head = beginning(first);
  const page = fitting(parts.slice(from), mostChars - head.length - noteChars);
  const next = from + Math.max(page.length, 1);
  const note: string[] = [];
  if (page.length === 0 && from < parts.length) note.push(`Entry ${from} is longer than an answer may be.`);
  if (next < parts.length) note.push(`${parts.length - next} more follow: ask again with from ${next}.`);
  return [head, ...page, ...(note.length > 0 ? [note.join(' ')] : [])].join(between);
}

/** A page of a list that is asked for by limit and cursor. */
export function listRoom(first: string, parts: string[], mostChars: number): string {
  const head = beginning(first);
  const page = fitting(parts, mostChars - head.length - noteChars);
  const left = parts.length - page.length;
  const limit = Math.max(page.length, 1);
  const note = `${left} of these are left out: ask again with limit ${limit}, and go on with the cursor of that answer.`;
  return [head, ...page, ...(left > 0 ? [note] : [])].join(between);
}

/** As many of the first as fit, whole. */
function fitting(parts: string[], room: number): string[] {
  let length = 0;
  const tooLong = parts.findIndex((part) => (length += between.length + part.length) > room);
  return tooLong === -1 ? parts : parts.slice(0, tooLong);
}

/** As many as fit, whole, in turn from both ends. */
function ends(parts: string[], room: number): { begin: string[]; end: string[] } {
  if (lengthOf(parts) <= room) return { begin: parts, end: [] };
  const inTurn = parts.map((_, at) => (at % 2 === 0 ? at / 2 : parts.length - (at + 1) / 2));
  const count = fitting(
    inTurn.map((at) => parts[at] ?? ''),
    room,
  ).length;
  const first = Math.ceil(count / 2);
  return { begin: parts.slice(0, first), end: parts.slice(parts.length - (count - first)) };
}
