import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

/**
 * A file of vectors: what a model made of each text that the benchmark embeds, by the SHA-256 of the text. Numbers are
 * 32-bit floats, little-endian, as base64.
 * @typedef {{model: string, dimensions: number, vectors: Record<string, string>}} VectorFile
 */
const usualFile = fileURLToPath(new URL('knowledge/vectors.json', import.meta.url));
const standInDimensions = 256;

/** @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest('hex');

/**
 * An endpoint of embeddings for the benchmark.
 *
 * - With EMBEDDINGS_URL and EMBEDDINGS_MODEL (and EMBEDDINGS_KEY) it asks that model, and writes the file when it is closed.
 * - Else it answers from the file (EMBEDDINGS_FILE, or bench/knowledge/vectors.json). A text that is not in it is an error.
 * - Without a file it counts groups of letters, by their hash: no model, and nothing is known of what a text means.
 */
export async function openVectors() {
  const {
    EMBEDDINGS_URL: address,
    EMBEDDINGS_MODEL: wanted,
    EMBEDDINGS_KEY: key,
    EMBEDDINGS_FILE: path = usualFile,
  } = process.env;
  const records = Boolean(address && wanted);
  /** @type {VectorFile | null} */
  const stored = !records && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
  /** @type {VectorFile} */
  const recorded = { model: wanted ?? '', dimensions: 0, vectors: {} };

  /** @param {string[]} texts @returns {Promise<number[][]>} */
  async function vectorsOf(texts) {
    if (records) return asked(texts);
    if (stored === null) return texts.map(lettersOf);
    return texts.map((text) => {
      const vector = stored.vectors[digest(text)];
      if (vector === undefined) throw new Error(`${path} has no vector of: ${text.slice(0, 80)}`);
      return [...new Float32Array(new Uint8Array(Buffer.from(vector, 'base64')).buffer)];
    });
  }

  /** @param {string[]} texts @returns {Promise<number[][]>} */
  async function asked(texts) {
    const response = await fetch(`${address}/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({ model: wanted, input: texts, encoding_format: 'float' }),
    });
    if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
    const { data } = /** @type {{data: {index: number, embedding: number[]}[]}} */ (await response.json());
    const vectors = data.toSorted((one, other) => one.index - other.index).map(({ embedding }) => embedding);
    for (const [at, vector] of vectors.entries()) {
      recorded.dimensions = vector.length;
      recorded.vectors[digest(texts[at] ?? '')] = Buffer.from(Float32Array.from(vector).buffer).toString('base64');
    }
    return vectors;
  }

  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString());
      vectorsOf([input].flat()).then(
        (vectors) => {
          const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
          response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
        },
        (/** @type {unknown} */ error) => {
          process.stderr.write(`${error}\n`);
          response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
        },
      );
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const model = records ? wanted : stored?.model;
  return {
    url: `http://127.0.0.1:${port}`,
    model: model ?? 'letters',
    /** What the figures are worth. */
    words:
      model === undefined
        ? 'The vectors are counts of letters, of no model: the column says that fusion runs, and nothing of meaning. ' +
          'Set EMBEDDINGS_URL and EMBEDDINGS_MODEL to record those of a model.'
        : `Vectors of ${model}${records ? ', asked now' : `, from ${path}`}.`,
    async close() {
      await new Promise((resolve) => server.close(resolve));
      if (records) writeFileSync(path, `${JSON.stringify(recorded)}\n`);
    },
  };
}

/** @param {string} text */
function lettersOf(text) {
  const vector = Array.from({ length: standInDimensions }, () => 0);
  const letters = [...text.toLowerCase()];
  for (let at = 0; at + 2 < letters.length; at += 1) {
    const place = createHash('sha256')
      .update(letters.slice(at, at + 3).join(''))
      .digest()
      .readUInt32LE(0);
    vector[place % standInDimensions] += 1;
  }
  return vector.some(Boolean) ? vector : vector.fill(1);
}
