import { startGatehouse } from './gatehouse.mjs';
import { embeddedText, embeddedTexts, readCorpora } from './knowledge/corpora.mjs';
import { openVectors } from './knowledge-vectors.mjs';
import { median, shown, table } from './table.mjs';

/**
 * @typedef {import('./knowledge/corpora.mjs').Corpus} Corpus
 * @typedef {{language: string, kind: string, ask: string, rank: number}} Answer
 */
const shownToAgents = 5;
const longestMs = 120_000;

/**
 * How many of the questions find their document among the first five parts that the search returns, in a project that
 * has the documents of all languages: by words alone, by meaning alone, then by both, fused. Agents search by the same query.
 * @throws Error when a question names no document of its file
 */
export async function benchKnowledge() {
  const corpora = readCorpora();
  const vectors = await openVectors(embeddedTexts(corpora));
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
    const meaning = byMeaning(corpora, vectors);
    const both = await askAll(gatehouse, corpora, ids);
    vectors.requireKnown();
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
        ['questions', 'number', 'words: recall@5', 'MRR', 'meaning: recall@5', 'MRR', 'fused: recall@5', 'MRR'],
        names.map(({ name, has }) => [
          name,
          words.answers.filter(has).length,
          ...[words.answers, meaning, both.answers].flatMap((answers) => figures(answers.filter(has))),
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
async function chooseModel(gatehouse, vectors) {
  const { url, model } = vectors;
  const provider = await gatehouse.api('POST', '/providers', {
    name: 'vectors',
    kind: 'openai-compatible',
    base_url: url,
  });
  await gatehouse.api('PUT', '/knowledge/meaning', { provider_id: provider.id, model });
  const until = performance.now() + longestMs;
  for (;;) {
    const { state, failure } = await gatehouse.api('GET', '/knowledge/meaning');
    vectors.requireKnown();
    if (state === 'ready') return;
    if (performance.now() > until) throw new Error(`the documents have no vectors: ${failure?.error ?? state}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/**
 * Of the vectors themselves: the engine answers no question by meaning alone.
 * @param {Corpus[]} corpora
 * @param {{vectorOf: (text: string) => number[]}} vectors
 * @returns {Answer[]}
 */
function byMeaning(corpora, { vectorOf }) {
  const documents = corpora.flatMap(({ language, documents: written }) =>
    written.map((one) => ({ id: `${language} ${one.key}`, vector: vectorOf(embeddedText(one)) })),
  );
  return corpora.flatMap(({ language, questions }) =>
    questions.map(({ ask, document, kind = 'reworded' }) => {
      const question = vectorOf(ask);
      const near = documents
        .map(({ id, vector }) => ({ id, cosine: cosineOf(question, vector) }))
        .sort((one, other) => other.cosine - one.cosine)
        .slice(0, shownToAgents);
      return { language, kind, ask, rank: near.findIndex(({ id }) => id === `${language} ${document}`) + 1 };
    }),
  );
}

/** @param {number[]} one @param {number[]} other */
function cosineOf(one, other) {
  const dot = one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other));
}

/** Recall among the first five, and the mean of 1/rank of what is among them. @param {Answer[]} answers */
function figures(answers) {
  const found = answers.filter(({ rank }) => rank > 0);
  const ranks = found.reduce((sum, { rank }) => sum + 1 / rank, 0);
  return [shown(found.length / answers.length, 2), shown(ranks / answers.length, 2)];
}
