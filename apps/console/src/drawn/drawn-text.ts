/** What is drawn of a text at once. A browser needs seconds to lay out 100,000 characters without a space. */
export const drawnAtMost = 2_000;
/** For attributes, which have nothing that shows the rest: tooltips, names for screen readers. */
export const labelAtMost = 300;
/** For a name within a sentence. */
const namedAtMost = 200;

/** A text of short lines is as long as its lines are many: these are drawn at once. */
export const linesAtMost = 100;

/** Whether a text is drawn step by step. */
export const isLong = (text: string): boolean =>
  text.length > drawnAtMost || endOfLines(text, linesAtMost) < text.length;

/** @returns where the first lines of a text end */
export function endOfLines(text: string, lines: number): number {
  let end = -1;
  for (let n = 0; n < lines; n += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text.length;
  }
  return end;
}

/** A text's beginning, never half a character. */
export function beginningOf(text: string, atMost: number): string {
  const last = text.charCodeAt(atMost - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? atMost - 1 : atMost);
}

export const cut = (text: string, atMost: number): string =>
  text.length > atMost ? `${beginningOf(text, atMost)}…` : text;

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u;
const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** They turn what follows them around: embeddings, overrides, and isolates of a given direction. */
const turning = /[\u202a-\u202e\u2066\u2067]/g;
const isolates = /[\u2068\u2069]/g;
const closedIsolates = /^[^\u2068\u2069]*(\u2068[^\u2068\u2069]*\u2069[^\u2068\u2069]*)*$/;
const [isolate, endOfIsolate] = ['\u2068', '\u2069'];

/** Whether a text can change the order of what stands beside it. */
export const reorders = (text: string): boolean => rightToLeft.test(text) || direction.test(text);

/** No script stacks as many marks upon one letter. More of them cover the lines above and below. */
const stacked = /([\p{M}\u200b-\u200d\u2060]{6})[\p{M}\u200b-\u200d\u2060]+/gu;
const anyMark = /\p{M}/u;

/**
 * A text as it is drawn: its letters in the order of their script, and within their line. Copying and downloading give
 * the text as it is.
 */
export function drawable(text: string): string {
  return withoutTurns(anyMark.test(text) ? text.replace(stacked, '$1') : text);
}

function withoutTurns(text: string): string {
  if (!direction.test(text)) return text;
  const plain = text.replace(turning, '');
  return closedIsolates.test(plain) ? plain : plain.replace(isolates, '');
}

/** A name that somebody gave, within a sentence: it does not change the order of the sentence. */
export function named(name: string): string {
  const short = drawable(cut(name, namedAtMost));
  return reorders(short) ? `${isolate}${short.replace(isolates, '')}${endOfIsolate}` : short;
}
