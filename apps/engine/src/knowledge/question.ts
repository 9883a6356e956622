import { gramMark, titleMark } from './chunk-terms.js';
import { languageOf } from './language-of.js';
import { folded, gramsOf, wordsOf } from './words-of.js';

const mostWords = 32;
const mostPairs = 64;
const mostGrams = 96;

export interface AskedWord {
  word: string;
  folded: string;
}

export interface Question {
  words: AskedWord[];
  pairs: string[];
  /** Of a text search configuration; its frequent words say nothing of what is asked. */
  language: string | null;
}

export function questionOf(text: string): Question {
  const { words, pairs } = wordsOf(text);
  const byFolded = new Map(words.map((word) => [folded(word), word]));
  return {
    words: [...byFolded].slice(0, mostWords).map(([key, word]) => ({ word, folded: key })),
    pairs: [...new Set(pairs)].slice(0, mostPairs),
    language: languageOf(words),
  };
}

/** One thing to look for. */
export interface Sought {
  /** A tsquery: any form of it. */
  any: string;
  /** The same in a title or heading; null: not looked for there. */
  title: string | null;
  /** Of three letters of a word: which word of the question, and the part that they are of it. */
  of: number | null;
  share: number;
}

/** Words in all their forms, pairs of letters, and the letters of words. @param stems of each folded word, marked */
export function soughtOf({ words, pairs }: Question, stems: Map<string, string[]>): Sought[] {
  const forms = [...words.map((one) => [one.folded, ...(stems.get(one.folded) ?? [])]), ...pairs.map((pair) => [pair])];
  const letters = words.flatMap((one, of) =>
    gramsOf(one.folded).map((gram, _, { length }) => ({
      any: anyOf([gramMark + gram]),
      title: null,
      of,
      share: 1 / length,
    })),
  );
  const whole = forms.map((terms) => ({
    any: anyOf(terms),
    title: anyOf(terms.map((term) => titleMark + term)),
    of: null,
    share: 1,
  }));
  return [...whole, ...letters.slice(0, mostGrams)];
}

/** Terms are quoted, so nothing of a caller is read as an operator. */
export function anyOf(terms: string[]): string {
  return terms.map((term) => `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`).join(' | ');
}
