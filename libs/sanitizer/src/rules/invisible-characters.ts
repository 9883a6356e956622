import { characterAt, characterBefore } from './neighbours.js';
import { removing, replacing, type Rule } from './rule.js';

/** Embeddings, overrides and isolates (UAX #9): they make text read differently from how it is written. */
const steering = '\\u202A-\\u202E\\u2066-\\u2069';
const marks = '\\u061C\\u200E\\u200F';
const rightToLeft = /[\p{Script=Arab}\p{Script=Hebr}\p{Script=Syrc}\p{Script=Thaa}\p{Script=Nkoo}\p{Script=Adlm}]/u;

/**
 * Directional marks stay, one in a row, in lines with right-to-left letters: they keep a number or a bracket in its
 * place there. Everything else that steers the direction is removed.
 */
export const bidiControls: Rule = {
  name: 'bidi_controls',
  apply(text) {
    if (!new RegExp(`[${marks}${steering}]`).test(text)) return { text, times: 0 };
    let times = 0;
    const lines = text.split('\n').map((line) => {
      const mixed = rightToLeft.test(line);
      const pattern = new RegExp(`[${marks}${steering}]+`, 'g');
      return line.replace(pattern, (run) => {
        const kept = mixed ? (/[\u061C\u200E\u200F]/.exec(run)?.[0] ?? '') : '';
        if (kept !== run) times += 1;
        return kept;
      });
    });
    return { text: lines.join('\n'), times };
  },
};

/** Unicode tags encode invisible ASCII. The three registered subdivision flags (England, Scotland, Wales) stay. */
export const tagCharacters = replacing(
  'tag_characters',
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}|[\u{E0000}-\u{E007F}]+/gu,
  (match) => (match.startsWith('\u{1F3F4}') ? match : ''),
);

/**
 * Characters that show nothing: soft hyphens, invisible operators, Hangul and Khmer fillers, annotation and musical
 * controls, non-characters, and the rest of the default-ignorable range.
 */
export const invisibleCharacters = removing(
  'invisible_characters',
  /(?:\u034F|\u17B4|\u17B5|[\u00AD\u115F\u1160\u180E\u2060-\u2065\u206A-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0080}-\u{E00FF}\u{E01F0}-\u{E0FFF}\p{Noncharacter_Code_Point}])+/gu,
);

/** Scripts written without spaces, in which a zero-width space separates words. */
const unspaced =
  /^[\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}\p{Script=Tale}\p{Script=Talu}\p{Script=Lana}\p{Script=Java}\p{Script=Bali}\p{Script=Sund}\p{Script=Tibt}]$/u;

/** A zero-width space stays, one in a row, between letters of such a script. */
export const zeroWidthSpaces = replacing('invisible_characters', /\u200B+/g, (run, offset, text) =>
  unspaced.test(characterBefore(text, offset)) && unspaced.test(characterAt(text, offset + run.length)) ? '\u200B' : '',
);

const braille = /^[\u2801-\u28FF]$/;

/** The Braille blank is a space next to Braille; elsewhere it is a space that does not look like one. */
export const brailleBlanks = replacing('invisible_characters', /\u2800+/g, (run, offset, text) =>
  braille.test(characterBefore(text, offset)) || braille.test(characterAt(text, offset + run.length)) ? run : ' ',
);
