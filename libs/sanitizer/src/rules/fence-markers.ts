import { replacing } from './rule.js';

const removed = '[marker removed]';

/** Letters that resemble those of a marker, and that NFKD does not change. */
const lookalikes: Record<string, string> = {
  ...spread('e', 'еҽᴇ℮ɛεε'),
  ...spread('x', 'хχ×ҳᕁ'),
  ...spread('t', 'тτᴛ'),
  ...spread('r', 'гʀᴦꭇ'),
  ...spread('n', 'пոήɴη'),
  ...spread('a', 'аαɑᴀ'),
  ...spread('l', 'ӏіιıʟǀ'),
  ...spread('[', '【〔⟦〖❲⁅⦋⦗『「'),
  ...spread(']', '】〕⟧〗❳⁆⦌⦘』」'),
  ...spread('/', '⁄∕⧸╱'),
};

function spread(letter: string, characters: string): Record<string, string> {
  return Object.fromEntries(Array.from(characters, (character) => [character, letter]));
}

const opening = '[\\[［【〔⟦〖❲⁅⦋⦗『「]';
const closing = '\\]］】〕⟧〗❳⁆⦌⦘』」';
/** A closing marker in any form, and an opening one with something like an id: `[External]` in a subject is neither. */
const marker = /^\[\s*(?:\/\s*externa[l1i|!](?![a-z])|externa[l1i|!]\s+(?=\S*\d)\w{4,}\s*\])/;

/**
 * Imitations of the lines that the prompt puts around external text (`[external <id>]`, `[/external <id>]`), however
 * their letters are written.
 */
export const fenceMarkers = replacing(
  'fence_markers',
  new RegExp(`${opening}[^\\n${opening.slice(1, -1)}${closing}]{1,120}[${closing}]?`, 'gu'),
  (candidate) => (marker.test(folded(candidate)) ? removed : candidate),
);

/** Folds compatibility forms, accents, case and lookalikes to the letters that they imitate. */
function folded(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return Array.from(plain, (character) => lookalikes[character] ?? character).join('');
}
