import { readFileSync } from 'node:fs';
import { startGatehouse } from './gatehouse.mjs';
import { openVectors } from './knowledge-vectors.mjs';
import { median, shown, table } from './table.mjs';

/**
 * @typedef {{key: string, title: string, text: string}} Written
 * @typedef {{ask: string, document: string, kind?: 'typo' | 'other words'}} Question
 * @typedef {{language: string, documents: Written[], questions: Question[]}} Corpus
 * @typedef {{language: string, kind: string, ask: string, rank: number}} Answer
 */
const files = ['english', 'german', 'french', 'spanish', 'japanese', 'thai'];
const shownToAgents = 5;
const longestMs = 120_000;

/** @param {string} name @returns {Corpus} */
const corpusOf = (name) => JSON.parse(readFileSync(new URL(`knowledge/${name}.json`, import.meta.url), 'utf8'));

/**
 * How many of the questions find their document among the first five parts that the search returns, in a project that
 * has the documents of all languages: by words alone, then fused with meaning. Agents search by the same query.
 * @throws Error when a question names no document of its file
 */
export async function benchKnowledge() {
  const corpora = files.map(corpusOf);
  const vectors = await openVectors();
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
    const words = await askAll(gatehouse, corpora, ids);
    await chooseModel(gatehouse, vectors);
    const both = await askAll(gatehouse, corpora, ids);
    const names = [
      ...corpora.map(({ language }) => ({
        name: language,
        has: (/** @type {Answer} */ one) => one.language === language,
      })),
      ...['reworded', 'typo', 'other words'].map((kind) => ({
        name: `all: ${kind}`,
        has: (/** @type {Answer} */ one) => one.kind === kind,
      })),
      { name: 'all', has: () => true },
    ];
    const missed = (/** @type {Answer[]} */ answers) =>
      answers
        .filter(({ rank }) => rank === 0)
        .map(({ language, ask }) => `- ${language}: ${ask}`)
        .join('\n') || '- none';
    return [
      table(
        ['questions', 'number', 'words: recall@1', 'recall@5', 'fused: recall@1', 'recall@5'],
        names.map(({ name, has }) => [
          name,
          words.answers.filter(has).length,
          ...recalls(words.answers.filter(has)),
          ...recalls(both.answers.filter(has)),
        ]),
      ),
      vectors.words,
      `p50 of a search through the portal, of ${ids.size} documents: ${shown(median(words.tookMs), 1)} ms by words, ` +
        `${shown(median(both.tookMs), 1)} ms fused`,
      `Not found by words:\n${missed(words.answers)}`,
      `Not found fused:\n${missed(both.answers)}`,
    ].join('\n\n');
  } finally {
    await gatehouse.close();
    await vectors.close();
  }
}

/**
 * @param {Awaited<ReturnType<typeof startGatehouse>>} gatehouse
 * @param {Corpus[]} corpora
 * @param {Map<string, string>} ids
 */
async function askAll(gatehouse, corpora, ids) {
  /** @type {number[]} */
  const tookMs = [];
  /** @type {Answer[]} */
  const answers = [];
  for (const { language, questions } of corpora) {
    for (const { ask, document, kind = 'reworded' } of questions) {
      const right = ids.get(`${language} ${document}`);
      if (!right) throw new Error(`no document ${document} for: ${ask}`);
      const began = performance.now();
      const query = `q=${encodeURIComponent(ask)}&limit=${shownToAgents}`;
      const { data, note } = await gatehouse.api('GET', `/knowledge/search?${query}`);
      if (note !== null) throw new Error(note);
      tookMs.push(performance.now() - began);
      /** @type {string[]} */
      const found = data.map((/** @type {{document_id: string}} */ part) => part.document_id);
      answers.push({ language, kind, ask, rank: found.indexOf(right) + 1 });
    }
  }
  return { tookMs, answers };
}

/**
 * @param {Awaited<ReturnType<typeof startGatehouse>>} gatehouse
 * @param {Awaited<ReturnType<typeof openVectors>>} vectors
 * @throws Error when the documents have no vectors in time
 */
async function chooseModel(gatehouse, { url, model }) {
  const provider = await gatehouse.api('POST', '/providers', {
    name: 'vectors',
    kind: 'openai-compatible',
    base_url: url,
  });
  await gatehouse.api('PUT', '/knowledge/meaning', { provider_id: provider.id, model });
  const until = performance.now() + longestMs;
  for (;;) {
    const { state, failure } = await gatehouse.api('GET', '/knowledge/meaning');
    if (state === 'ready') return;
    if (performance.now() > until) throw new Error(`the documents have no vectors: ${failure?.error ?? state}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @param {Answer[]} answers */
function recalls(answers) {
  const within = (/** @type {number} */ most) => answers.filter(({ rank }) => rank > 0 && rank <= most).length;
  return [shown(within(1) / answers.length, 2), shown(within(shownToAgents) / answers.length, 2)];
}
