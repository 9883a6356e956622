import { replacing } from './rule.js';

/** Enough for every orthography (Tibetan and pointed Hebrew stack the most); more would only cover the lines around. */
const maxMarks = 8;

/** Runs before NFC, whose reordering of marks is quadratic in the length of a run. */
export const combiningMarks = replacing('combining_marks', new RegExp(`\\p{M}{${maxMarks + 1},}`, 'gu'), (run) =>
  Array.from(run.slice(0, maxMarks * 2))
    .slice(0, maxMarks)
    .join(''),
);

export interface LengthLimits {
  /** UTF-16 units of the result, including the note about the cut. */
  maxChars: number;
  maxLines: number;
}

/**
 * Cuts a text to its limits, between characters.
 * @param cutBefore units already cut from this text; the note states the sum
 */
export function cutToLimits(text: string, limits: LengthLimits, cutBefore: number): { text: string; cut: number } {
  const end = Math.min(endOfLine(text, limits.maxLines), text.length);
  const fits = end === text.length && text.length <= limits.maxChars;
  if (fits && cutBefore === 0) return { text, cut: 0 };
  const longest = note(text.length + cutBefore).length;
  const room = Math.max(0, Math.min(limits.maxChars - longest, endOfLine(text, limits.maxLines - 1)));
  let kept = text.slice(0, room);
  if (/[\uD800-\uDBFF]$/.test(kept)) kept = kept.slice(0, -1);
  const cut = text.length - kept.length;
  return { text: kept + note(cut + cutBefore), cut };
}

function note(units: number): string {
  return `\n[cut: ${units} characters]`;
}

/** Where the given number of lines ends, or infinity when the text has no more lines. */
function endOfLine(text: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return Number.POSITIVE_INFINITY;
  }
  return Math.max(0, at);
}
