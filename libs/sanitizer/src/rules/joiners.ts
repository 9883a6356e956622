import { characterAt, characterBefore } from './neighbours.js';
import { type Rule, replacing } from './rule.js';

/**
 * Scripts whose letters change form depending on what they join: cursive ones, and those of India and its neighbours.
 */
const joiningScripts = [
  'Arab Syrc Nkoo Mong Phag Mand Mani Adlm Rohg Sogd Thaa',
  'Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr Tibt Java Bali Sund Newa Tirh Modi Gran Cakm Lepc Limb',
]
  .join(' ')
  .split(' ');
const anyScript = `[${joiningScripts.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]`;
const joiningLetter = new RegExp(`^(?=\\p{L})${anyScript}$`, 'u');
const joiningLetterOrMark = new RegExp(`^(?=[\\p{L}\\p{M}])${anyScript}$`, 'u');

/** Signs that silence a consonant's vowel in the scripts of India: a joiner next to one selects a form. */
const virama = /^[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]$/;
const pictograph = /^\p{Extended_Pictographic}$/u;
const pictographModifier = /^(?:\uFE0F|[\u{1F3FB}-\u{1F3FF}])$/u;
const zwj = '\u200D';

/**
 * ZWJ stays between pictographs, ZWJ and ZWNJ between letters of joining scripts (Persian, Hindi), before a virama
 * (Bengali) and after one (in older Malayalam, at the end of words); of several in a row, the first. Everywhere else
 * they only hide things.
 */
export const joiners: Rule = replacing('joiners', /[\u200C\u200D]+/g, (run, offset, text) => {
  const first = run.charAt(0);
  const before = characterBefore(text, offset);
  const after = characterAt(text, offset + run.length);
  const inWord = joiningLetterOrMark.test(before) && (joiningLetter.test(after) || virama.test(after));
  const inEmoji = first === zwj && endsPictograph(text, offset) && pictograph.test(after);
  return inWord || inEmoji || virama.test(before) ? first : '';
});

/** Whether a pictograph, including an optional selector or skin tone, ends before the offset. */
function endsPictograph(text: string, offset: number): boolean {
  const last = characterBefore(text, offset);
  return pictograph.test(pictographModifier.test(last) ? characterBefore(text, offset - last.length) : last);
}
