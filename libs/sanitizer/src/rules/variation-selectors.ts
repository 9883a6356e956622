import { characterAt, characterBefore } from './neighbours.js';
import { replacing, type Rule } from './rule.js';

const emojiBase = /^(?![0-9#*])\p{Emoji}$/u;
const keycapBase = /^[0-9#*]$/;
const keycap = '\u20E3';
const ideograph = /^\p{Unified_Ideograph}$/u;
const mongolian = /^\p{Script=Mongolian}$/u;
/** Letters and signs with standardised variants (StandardizedVariants.txt): mathematical signs, Myanmar and Phags-pa letters. */
const varied = /^[\p{Sm}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Script=Manichaean}]$/u;
/** Names need a few; more of them encode hidden bytes, eight bits each. */
const maxIdeographs = 64;

/**
 * A single selector stays where it chooses a visible form: on an emoji base, in a keycap, on an ideograph (variants in
 * names, the first of a text), on Mongolian letters, on signs with standardised variants. All others encode hidden
 * bytes.
 */
export const variationSelectors: Rule = {
  name: 'variation_selectors',
  apply(text) {
    let ideographs = 0;
    return replacing(
      'variation_selectors',
      /[\u180B-\u180D\u180F\uFE00-\uFE0F\u{E0100}-\u{E01EF}]+/gu,
      (run, offset, whole) => {
        const first = characterAt(run, 0);
        const before = characterBefore(whole, offset);
        if (first === '\uFE0E' || first === '\uFE0F') {
          const inKeycap = keycapBase.test(before) && characterAt(whole, offset + run.length) === keycap;
          return emojiBase.test(before) || inKeycap ? first : '';
        }
        if (/^[\u180B-\u180F]$/.test(first)) return mongolian.test(before) ? first : '';
        if (ideograph.test(before)) return (ideographs += 1) <= maxIdeographs ? first : '';
        return first === '\uFE00' && varied.test(before) ? first : '';
      },
    ).apply(text);
  },
};
