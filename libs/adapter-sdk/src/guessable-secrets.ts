/** What people make a secret of when they want none: alone, in a row, with a few digits or signs between. */
const words = `
  admin administrator api auth bar baseball batman baz change changeme default demo dev development dragon dummy
  example foo football gatehouse geheim hallo hello hmac hook hush iloveyou key letmein local localhost login master me
  monkey my pass passcode passphrase passwd password passwort princess private prod production pwd root sample secret
  secrets sha shadow shared sign signing sunshine super superman test testing token top trustno user webhook webhooks
  welcome world your
`;
/** Of the alphabet, the digits and keyboards; read from either end. */
const rows = `
  abcdefghijklmnopqrstuvwxyz 01234567890123456789 0123456789abcdef qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm
  yxcvbnm qazwsxedcrfvtgbyhnujm 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc4rfv5tgb
`;
/** Digits and signs that stand for letters inside a word: `p4ssw0rd`. */
const letters: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', $: 's', '@': 'a' };

const pieces = new Set(words.split(/\s+/).filter(Boolean));
for (const row of rows.split(/\s+/)) {
  for (const way of [row, [...row].reverse().join('')]) {
    // Any longer run is made of these.
    for (const length of [3, 4, 5]) {
      for (let at = 0; at + length <= way.length; at += 1) pieces.add(way.slice(at, at + length));
    }
  }
}
const longestPiece = Math.max(...[...pieces].map((piece) => piece.length));
/** What is longer is guessed only if it repeats itself. */
const mostCharacters = 64;
const shortUnit = 4;
/** A few characters again and again, for as long as it takes to be let through. */
const fewCharacters = 3;
const shortText = 16;
const mostOtherDigits = 4;

/** Whether a secret is among the first that anybody tries: `password`, `12345678`, `my-secret-key-1`, `abcabcabc`. */
export function isGuessable(secret: string): boolean {
  const text = secret.normalize('NFKC').toLowerCase();
  return (
    isMadeOfWords(text) ||
    isMadeOfWords(text.replace(/[013457$@](?=[013457$@]*\p{L})/gu, (sign) => letters[sign] ?? sign))
  );
}

function isMadeOfWords(text: string): boolean {
  const all = text.replace(/[^\p{L}\p{N}]/gu, '');
  if (all.length <= shortText && new Set(all).size <= fewCharacters) return true;
  const unit = repeatedPart(all);
  return unit.length >= shortUnit && unit.length <= mostCharacters && otherDigits(unit) <= mostOtherDigits;
}

/** `abc` of `abcabcabc`; a text that does not repeat itself is its own part. */
function repeatedPart(text: string): string {
  const length = `${text}${text}`.indexOf(text, 1);
  return length > 0 ? text.slice(0, length) : text;
}

/** How many digits are left of a text that is made of pieces and digits; infinite: it is not. */
function otherDigits(text: string): number {
  const fewest = Array.from({ length: text.length + 1 }, () => Number.POSITIVE_INFINITY);
  fewest[0] = 0;
  for (const [from, count] of fewest.entries()) {
    if (count > mostOtherDigits) continue;
    for (let length = 1; length <= longestPiece && from + length <= text.length; length += 1) {
      const piece = text.slice(from, from + length);
      const more = pieces.has(piece) ? 0 : length === 1 && /\d/.test(piece) ? 1 : Number.POSITIVE_INFINITY;
      fewest[from + length] = Math.min(fewest[from + length] ?? Number.POSITIVE_INFINITY, count + more);
    }
  }
  return fewest[text.length] ?? 0;
}
