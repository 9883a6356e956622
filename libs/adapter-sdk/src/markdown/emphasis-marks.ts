import type { MarkdownPhrase } from './tree.js';

/** Writing without spaces between words, and Korean, whose endings follow a word directly. */
const SPACELESS = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;
const isSpaceless = new RegExp(SPACELESS, 'u');
const isSign = /[\p{P}\p{S}]/u;
const RUN = /(?<!\\)(?:\*{1,3}|~~)/g;
/** Signs that nobody writes: the first that a text has not is used. */
const STAND_INS = ['\u{a876}', '\u{a92f}', '\u{1c3d}'];

/**
 * CommonMark opens no emphasis between a letter and a sign, nor closes one between a sign and a letter, because spaces
 * are expected there: `**重要：**请` has none. A sign that stands in for the space makes it emphasis; it is no part of
 * the text.
 */
export function withStandIns(text: string): { text: string; standIn: string } {
  const standIn = STAND_INS.find((sign) => !text.includes(sign)) ?? '';
  if (standIn === '' || !isSpaceless.test(text)) return { text, standIn: '' };
  const marked = text.replaceAll(RUN, (run, at: number) => {
    const before = text[at - 1] ?? '';
    const after = text[at + run.length] ?? '';
    if (isWord(before) && isSign.test(after)) return isSpaceless.test(before) ? standIn + run : run;
    if (isSign.test(before) && isWord(after)) return isSpaceless.test(after) ? run + standIn : run;
    return run;
  });
  return { text: marked, standIn };
}

function isWord(character: string): boolean {
  return isSpaceless.test(character) && !isSign.test(character);
}

const isLetter = /[\p{L}\p{N}\p{M}]/u;

/** Stars within a word or a formula, `2*3*4` or `x**2 + y**2`, are stars. */
export function isStars(node: MarkdownPhrase, source: string): boolean {
  if (node.type !== 'emphasis' && node.type !== 'strong') return false;
  const { before, after } = besides(node, source);
  const [first, last] = [source[startOf(node)], source[endOf(node) - 1]];
  if (first !== '*' || last !== '*' || before === '' || after === '') return false;
  return joins(before, /[)\]]/) && joins(after, /[([]/);
}

function joins(character: string, bracket: RegExp): boolean {
  return (isLetter.test(character) && !isSpaceless.test(character)) || bracket.test(character);
}

/** The characters directly before and after a node; none where a line or another mark ends. */
export function besides(node: MarkdownPhrase, source: string): { before: string; after: string } {
  if (!node.position) return { before: '', after: '' };
  const before = source.slice(Math.max(0, startOf(node) - 2), startOf(node));
  const after = source.slice(endOf(node), endOf(node) + 2);
  return { before: visible([...before].at(-1)), after: visible([...after][0]) };
}

function visible(character = ''): string {
  return /[\s*_~|]/.test(character) ? '' : character;
}

export function startOf(node: { position?: MarkdownPhrase['position'] }): number {
  return node.position?.start.offset ?? 0;
}

export function endOf(node: { position?: MarkdownPhrase['position'] }): number {
  return node.position?.end.offset ?? 0;
}
