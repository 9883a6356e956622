import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { openVectorFile } from './knowledge/vector-file.mjs';

const usualFile = fileURLToPath(new URL('knowledge/vectors.json', import.meta.url));
const letterDimensions = 256;

/**
 * An endpoint of embeddings for the benchmark. It answers from the file of vectors (EMBEDDINGS_FILE, or
 * bench/knowledge/vectors.json), which `node scripts/knowledge-vectors.mjs` makes. Without one it counts groups of letters, by
 * their hash: no model, and nothing is known of what a text means.
 * @param {{name: string, text: string}[]} texts all that will be asked for
 * @throws Error when the file is damaged, or a text has changed since it was made
 */
export async function openVectors(texts) {
  const { EMBEDDINGS_FILE: path = usualFile } = process.env;
  const isStored = existsSync(path) || path !== usualFile;
  const stored = isStored ? openVectorFile(JSON.parse(readFileSync(path, 'utf8')), texts) : null;
  /** Texts that the engine asked for and that are not in the file: it puts them together otherwise than was thought. @type {string[]} */
  const unknown = [];

  /** @param {string} text @returns {number[]} */
  function vectorOf(text) {
    if (stored === null) return lettersOf(text);
    const vector = stored.vectorOf(text);
    if (vector === undefined) unknown.push(text);
    return vector ?? [];
  }

  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString());
      const data = [input].flat().map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const origin = stored?.origin;
  return {
    url: `http://127.0.0.1:${port}`,
    model: origin?.model ?? 'letters',
    vectorOf,
    /** @throws Error when the engine asked for a text that has no vector */
    requireKnown() {
      if (unknown.length > 0) throw new Error(`${path} has no vector of a text that the engine embeds: ${unknown[0]}`);
    },
    /** What the figures are worth. */
    words: origin
      ? `Vectors of ${origin.model} (${origin.version}, ${origin.licence}, ${origin.source}), made ${origin.made}.`
      : 'The vectors are counts of letters, of no model: meaning and fusion say what a model that knows nothing does to the ' +
        'search. `node scripts/knowledge-vectors.mjs` has a model make vectors.',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @param {string} text */
function lettersOf(text) {
  const vector = Array.from({ length: letterDimensions }, () => 0);
  const letters = [...text.toLowerCase()];
  for (let at = 0; at + 2 < letters.length; at += 1) {
    const place = createHash('sha256')
      .update(letters.slice(at, at + 3).join(''))
      .digest()
      .readUInt32LE(0);
    vector[place % letterDimensions] += 1;
  }
  return vector.some(Boolean) ? vector : vector.fill(1);
}
