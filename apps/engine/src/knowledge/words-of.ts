/** Scripts that put no spaces between words. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
const part = new RegExp(`[${unspaced}][${unspaced}\\p{M}]*|[^${unspaced}]+`, 'gu');
const isUnspaced = new RegExp(`^[${unspaced}]`, 'u');
/** Marks that are not part of how a word differs from others when people type it. In Devanagari they are vowels. */
const accents =
  /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]\p{M}*)\p{M}/gu;
const letters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const mostChars = 40;
const shortestWithGrams = 4;

export interface Words {
  /** In lower case, with accents, in the order of the text. */
  words: string[];
  /** Pairs of neighbouring letters, where a script has no spaces. */
  pairs: string[];
}

export function wordsOf(text: string): Words {
  const found: Words = { words: [], pairs: [] };
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(word)) {
    for (const [piece] of run.matchAll(part)) {
      if (isUnspaced.test(piece)) found.pairs.push(...slices([...piece], 2));
      else found.words.push([...piece].slice(0, mostChars).join(''));
    }
  }
  return found;
}

/** Without accents, and with ligatures written out. */
export function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(accents, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþı]/g, (letter) => letters[letter] ?? letter);
}

/** Three letters in a row, the ends marked: words that share many are compounds, inflections or misspelt. */
export function gramsOf(foldedWord: string): string[] {
  const chars = [...foldedWord];
  if (chars.length < shortestWithGrams || /\p{N}/u.test(foldedWord)) return [];
  return slices(['_', ...chars, '_'], 3);
}

function slices(chars: string[], size: number): string[] {
  if (chars.length <= size) return [chars.join('')];
  return Array.from({ length: chars.length - size + 1 }, (_, at) => chars.slice(at, at + size).join(''));
}
