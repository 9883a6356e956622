// node scripts/knowledge-vectors.mjs --url BASE --model NAME --version V --licence L --source ADDRESS [--file PATH]: has an
// OpenAI-compatible endpoint of embeddings make the vectors that `npm run bench -- knowledge` reads. Its key: EMBEDDINGS_KEY.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { embeddedTexts, readCorpora } from '../bench/knowledge/corpora.mjs';
import { mostBytes, openVectorFile, packVectors } from '../bench/knowledge/vector-file.mjs';
import { root } from './launcher/project.mjs';

const atOnce = 32;
const text = { type: /** @type {const} */ ('string') };
const { values } = parseArgs({
  options: { url: text, model: text, version: text, licence: text, source: text, file: text },
});
const wanted = /** @type {const} */ (['url', 'model', 'version', 'licence', 'source']);
const unsaid = wanted.filter((name) => !values[name]);
if (unsaid.length > 0) {
  process.stderr.write(
    `Say ${unsaid.map((name) => `--${name}`).join(', ')}: others have to know whose vectors they are.\n`,
  );
  process.exit(2);
}
const { url = '', model = '', version = '', licence = '', source = '', file } = values;
const path = file ?? join(root, 'bench/knowledge/vectors.json');

const texts = embeddedTexts(readCorpora());
/** @type {number[][]} */
const vectors = [];
for (let at = 0; at < texts.length; at += atOnce) {
  vectors.push(...(await embed(texts.slice(at, at + atOnce).map((one) => one.text))));
}
const packed = packVectors(
  { model, version, licence, source, made: new Date().toISOString().slice(0, 10) },
  texts,
  vectors,
);
const written = `${JSON.stringify(packed, null, 1)}\n`;
if (written.length > mostBytes)
  throw new Error(`${written.length} bytes are more than ${mostBytes}: choose a model with fewer dimensions.`);
openVectorFile(JSON.parse(written), texts);
writeFileSync(path, written);
process.stdout.write(`${path}: ${texts.length} vectors of ${packed.dimensions} numbers, ${written.length} bytes\n`);

/** @param {string[]} input @returns {Promise<number[][]>} */
async function embed(input) {
  const key = process.env['EMBEDDINGS_KEY'];
  const response = await fetch(`${url.replace(/\/+$/, '')}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, input, encoding_format: 'float' }),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
  const { data } = /** @type {{data: {index: number, embedding: number[]}[]}} */ (await response.json());
  if (data.length !== input.length) throw new Error(`${url} made ${data.length} vectors of ${input.length} texts.`);
  return data.toSorted((one, other) => one.index - other.index).map(({ embedding }) => embedding);
}
