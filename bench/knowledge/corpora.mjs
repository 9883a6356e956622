import { readFileSync } from 'node:fs';

/**
 * @typedef {{key: string, title: string, text: string}} Written
 * @typedef {{ask: string, document: string, kind?: 'typo' | 'other words'}} Question
 * @typedef {{language: string, documents: Written[], questions: Question[]}} Corpus
 */
const files = ['english', 'german', 'french', 'spanish', 'japanese', 'thai'];

/** @returns {Corpus[]} */
export const readCorpora = () =>
  files.map((name) => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8')));

/** Each is short enough to be one part, which has no heading of its own. @param {Written} document */
export const embeddedText = ({ title, text }) => `${title}\n\n${text}`;

/** By which a model is tried when it is chosen. */
const trial = 'A word.';

/**
 * All that the engine puts into vectors in the benchmark, and what to call each.
 * @param {Corpus[]} corpora
 * @returns {{name: string, text: string}[]}
 */
export const embeddedTexts = (corpora) => [
  { name: 'the word by which a model is tried', text: trial },
  ...corpora.flatMap(({ language, documents, questions }) => [
    ...documents.map((one) => ({ name: `${language} document "${one.title}"`, text: embeddedText(one) })),
    ...questions.map(({ ask }) => ({ name: `${language} question "${ask}"`, text: ask })),
  ]),
];
