import { type MessageFormat, splitText } from '#libs/adapter-sdk';

export interface FormattedText {
  text: string;
  format: MessageFormat;
}

export interface SplitLimits {
  /** UTF-16 units of a part, as it is sent. */
  maxLength: number;
  maxParts: number;
}

/** Note at the end of a text that was cut. */
const cutNote = (chars: number): string => `\n\n[cut: ${chars} characters are missing]`;
const longestNote = cutNote(1_000_000_000).length;

/**
 * Splits a message into parts that each render on their own. The agent's text is split, never its rendering, so that no
 * markup is broken. The same text and the same rendering give the same parts.
 * @returns `cutChars` of the text that exceed `maxParts`; a note at the end of the last part says so
 */
export async function splitMessage(
  text: string,
  { maxLength, maxParts }: SplitLimits,
  format: (piece: string) => Promise<FormattedText>,
): Promise<{ parts: FormattedText[]; cutChars: number }> {
  const parts: { piece: string; formatted: FormattedText }[] = [];
  const waiting = splitText(text, maxLength).reverse();
  let piece = waiting.pop();
  while (piece !== undefined && parts.length < maxParts) {
    const formatted = await format(piece);
    if (formatted.text.length > maxLength && piece.length > 1) {
      waiting.push(...splitText(piece, Math.ceil(piece.length / 2)).reverse());
    } else if (formatted.text.trim() !== '') parts.push({ piece, formatted });
    piece = waiting.pop();
  }
  const done = parts.map(({ formatted }) => formatted);
  const last = parts.at(-1);
  if (piece === undefined || last === undefined) return { parts: done, cutChars: 0 };
  const missing = [piece, ...waiting].reduce((sum, { length }) => sum + length, 0);
  const end = await endingWithNote(last.piece, missing, maxLength, format);
  return { parts: [...done.slice(0, -1), end.formatted], cutChars: end.cutChars };
}

/** The last part, shortened to make room for its note. */
async function endingWithNote(
  piece: string,
  missing: number,
  maxLength: number,
  format: (piece: string) => Promise<FormattedText>,
): Promise<{ formatted: FormattedText; cutChars: number }> {
  for (let room = maxLength - longestNote; ; room = Math.floor(room / 2)) {
    const [kept = ''] = room > 0 ? splitText(piece, room) : [];
    const cutChars = missing + piece.length - Math.min(kept.length, piece.length);
    const formatted = await format(`${kept}${cutNote(cutChars)}`.trim());
    if (formatted.text.length <= maxLength || room <= 0) {
      return { formatted: { ...formatted, text: formatted.text.slice(0, maxLength) }, cutChars };
    }
  }
}

/**
 * Shortens a text that an adapter splits into too many parts, and adds the same note.
 * @param partsOf how many parts the adapter makes of a text
 */
export async function cutToParts(
  text: string,
  made: number,
  maxParts: number,
  partsOf: (text: string) => Promise<number>,
): Promise<{ text: string; cutChars: number }> {
  let count = made;
  let room = text.length;
  for (;;) {
    room = Math.floor(Math.min(room * 0.9, (room * maxParts) / count));
    const [kept = ''] = room > longestNote ? splitText(text, room - longestNote) : [];
    const cutChars = text.length - kept.length;
    const shorter = `${kept}${cutNote(cutChars)}`.trim();
    count = await partsOf(shorter);
    if (count <= maxParts || kept === '') return { text: shorter, cutChars };
  }
}
