import { characterAt, characterBefore } from './neighbours.js';
import { replacing } from './rule.js';

const emojiBase = /^(?![0-9#*])\p{Emoji}$/u;
const keycapBase = /^[0-9#*]$/;
const keycap = '\u20E3';

/** One text or emoji selector stays after an emoji base (a digit only in a keycap); all others spell hidden bytes. */
export const variationSelectors = replacing(
  'variation_selectors',
  /[\u180B-\u180D\u180F\uFE00-\uFE0F\u{E0100}-\u{E01EF}]+/gu,
  (run, offset, text) => {
    const first = run.charAt(0);
    if (first !== '\uFE0E' && first !== '\uFE0F') return '';
    const before = characterBefore(text, offset);
    const inKeycap = keycapBase.test(before) && characterAt(text, offset + run.length) === keycap;
    return emojiBase.test(before) || inKeycap ? first : '';
  },
);
