import { createHash } from 'node:crypto';

/**
 * What a model made of the texts of the benchmark, and which model, of whom, and when.
 * @typedef {{model: string, version: string, licence: string, source: string, made: string}} Origin
 * @typedef {Origin & {dimensions: number, encoding: string, vectors: Record<string, string>}} VectorFile
 * @typedef {{name: string, text: string}} Named
 */
/** The cosine of two vectors changes by less than a hundredth; only how texts compare is measured. */
const encoding = 'by SHA-256 of the text: 8-bit integers, the largest number of each vector as 127, in base64';
export const mostBytes = 1_000_000;
const shownAtMost = 5;

/** @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest('hex');

/**
 * @param {Origin} origin
 * @param {Named[]} texts
 * @param {number[][]} vectors of the texts, in their order
 * @returns {VectorFile}
 * @throws Error for vectors that cannot be compared
 */
export function packVectors(origin, texts, vectors) {
  const dimensions = vectors[0]?.length ?? 0;
  const packed = texts.map(({ name, text }, at) => {
    const vector = vectors[at] ?? [];
    const largest = Math.max(...(vectors.length > at ? vector.map(Math.abs) : [0]));
    if (vector.length !== dimensions || !Number.isFinite(largest) || largest === 0)
      throw new Error(`The vector of the ${name} is none: ${vector.length} numbers of ${dimensions}, none over 0.`);
    const bytes = Int8Array.from(vector, (number) => Math.round((number / largest) * 127));
    return [digest(text), Buffer.from(bytes.buffer).toString('base64')];
  });
  return { ...origin, dimensions, encoding, vectors: Object.fromEntries(packed) };
}

/**
 * @param {unknown} stored
 * @param {Named[]} texts all that will be asked for
 * @returns {{origin: Origin, vectorOf: (text: string) => number[] | undefined}}
 * @throws Error when it is no such file, or a text has changed since it was made
 */
export function openVectorFile(stored, texts) {
  const file = /** @type {Partial<VectorFile>} */ (stored ?? {});
  for (const field of /** @type {const} */ (['model', 'version', 'licence', 'source', 'made', 'encoding'])) {
    if (typeof file[field] !== 'string' || file[field] === '')
      throw new Error(`The file of vectors names no ${field}.`);
  }
  if (file.encoding !== encoding) throw new Error(`The file of vectors is written otherwise: ${file.encoding}.`);
  const { model = '', version = '', licence = '', source = '', made = '', dimensions, vectors = {} } = file;
  /** @type {Map<string, number[]>} */
  const known = new Map();
  for (const [key, text] of Object.entries(vectors)) {
    const numbers = [...new Int8Array(new Uint8Array(Buffer.from(text, 'base64')).buffer)];
    if (numbers.length !== dimensions || !numbers.some(Boolean))
      throw new Error(`The vector ${key} is damaged: ${numbers.length} numbers of ${dimensions}.`);
    known.set(key, numbers);
  }
  const missing = texts.filter(({ text }) => !known.has(digest(text))).map(({ name }) => name);
  if (missing.length > 0) {
    const more = missing.length > shownAtMost ? `, and ${missing.length - shownAtMost} more` : '';
    throw new Error(
      `${missing.length} texts are new, or have changed since ${made}, when their vectors were made: ` +
        `${missing.slice(0, shownAtMost).join(', ')}${more}. Make them again: node scripts/knowledge-vectors.mjs`,
    );
  }
  return { origin: { model, version, licence, source, made }, vectorOf: (text) => known.get(digest(text)) };
}
