import { combiningMarks } from './caps.js';
import { controlCharacters, escapeSequences, lineEnds, loneSurrogates } from './control-characters.js';
import {
  bidiControls,
  brailleBlanks,
  invisibleCharacters,
  tagCharacters,
  zeroWidthSpaces,
} from './invisible-characters.js';
import { joiners } from './joiners.js';
import type { Rule } from './rule.js';
import { variationSelectors } from './variation-selectors.js';

const compatibilityIdeograph = /[\uF900-\uFAFF\u{2F800}-\u{2FA1F}]/u;

/** Marks are cut first: NFC is quadratic in them, and every other rule would have to read them all. */
export const characterRules: readonly Rule[] = [
  combiningMarks,
  loneSurrogates,
  escapeSequences,
  lineEnds,
  controlCharacters,
  bidiControls,
  tagCharacters,
  invisibleCharacters,
  zeroWidthSpaces,
  brailleBlanks,
  joiners,
  variationSelectors,
];

/** Removed from a person's own words: what no keyboard writes, and what makes text read differently than written. */
export const controlRules: readonly Rule[] = [
  loneSurrogates,
  escapeSequences,
  lineEnds,
  controlCharacters,
  bidiControls,
];

/** NFC, except for compatibility ideographs: NFC would replace the character in somebody's name by another one. */
export const nfc: Rule = {
  name: 'nfc',
  apply(text) {
    const composed = compatibilityIdeograph.test(text)
      ? text.replace(/[^\uF900-\uFAFF\u{2F800}-\u{2FA1F}]+/gu, (part) => part.normalize('NFC'))
      : text.normalize('NFC');
    return { text: composed, times: composed === text ? 0 : 1 };
  },
};
