import { readFileSync } from 'node:fs';
import { startGatehouse } from './gatehouse.mjs';
import { median, shown, table } from './table.mjs';

/**
 * @typedef {{key: string, title: string, text: string}} Written
 * @typedef {{ask: string, document: string, kind?: 'typo' | 'other words'}} Question
 * @typedef {{language: string, documents: Written[], questions: Question[]}} Corpus
 */
const files = ['english', 'german', 'french', 'spanish', 'japanese', 'thai'];
const shownToAgents = 5;

/** @param {string} name @returns {Corpus} */
const corpusOf = (name) => JSON.parse(readFileSync(new URL(`knowledge/${name}.json`, import.meta.url), 'utf8'));

/**
 * How many of the questions find their document among the first five parts that the search returns, in a project that
 * has the documents of all languages. Agents search by the same query.
 * @throws Error when a question names no document of its file
 */
export async function benchKnowledge() {
  const corpora = files.map(corpusOf);
  const gatehouse = await startGatehouse({ name: 'knowledge', without: ['python-runner'] });
  try {
    /** @type {Map<string, string>} */
    const ids = new Map();
    for (const { language, documents } of corpora) {
      for (const { key, title, text } of documents) {
        const { id } = await gatehouse.api('POST', '/knowledge', { title, text, audience: 'everyone' });
        ids.set(`${language} ${key}`, id);
      }
    }
    /** @type {number[]} */
    const tookMs = [];
    /** @type {{language: string, kind: string, ask: string, rank: number}[]} */
    const answers = [];
    for (const { language, questions } of corpora) {
      for (const { ask, document, kind = 'reworded' } of questions) {
        const right = ids.get(`${language} ${document}`);
        if (!right) throw new Error(`no document ${document} for: ${ask}`);
        const began = performance.now();
        const query = `q=${encodeURIComponent(ask)}&limit=${shownToAgents}`;
        const { data } = await gatehouse.api('GET', `/knowledge/search?${query}`);
        tookMs.push(performance.now() - began);
        /** @type {string[]} */
        const found = data.map((/** @type {{document_id: string}} */ part) => part.document_id);
        answers.push({ language, kind, ask, rank: found.indexOf(right) + 1 });
      }
    }
    const groups = [
      ...corpora.map(({ language }) => ({ name: language, of: answers.filter((one) => one.language === language) })),
      ...['reworded', 'typo', 'other words'].map((kind) => ({
        name: `all: ${kind}`,
        of: answers.filter((one) => one.kind === kind),
      })),
      { name: 'all', of: answers },
    ];
    const missed = answers.filter(({ rank }) => rank === 0).map(({ language, ask }) => `- ${language}: ${ask}`);
    return [
      table(['questions', 'number', 'recall@1', 'recall@5'], groups.map(lineOf)),
      `p50 of a search through the portal: ${shown(median(tookMs), 1)} ms, of ${ids.size} documents`,
      `Not found:\n${missed.join('\n') || '- none'}`,
    ].join('\n\n');
  } finally {
    await gatehouse.close();
  }
}

/** @param {{name: string, of: {rank: number}[]}} group */
function lineOf({ name, of }) {
  const within = (/** @type {number} */ most) => of.filter(({ rank }) => rank > 0 && rank <= most).length;
  return [name, of.length, shown(within(1) / of.length, 2), shown(within(shownToAgents) / of.length, 2)];
}
