import { readFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { isJsonObject, parseJson } from '../json-value.js';
import type { ConformanceFixtures, WebhookSample } from './fixtures.js';

const FILE = 'conformance.json';

/**
 * Reads `conformance.json` of a folder, and its sample files. Throws an Error that says what is wrong with which file.
 */
export function loadFixtures(directory: string): ConformanceFixtures {
  const path = join(directory, FILE);
  const read: unknown = parseJson(readFileSync(path, 'utf8'));
  if (!isJsonObject(read)) throw new Error(`${path} is not a JSON object`);
  const fixtures: ConformanceFixtures = read;
  const { webhooks } = fixtures;
  if (!webhooks) return fixtures;
  return {
    ...fixtures,
    webhooks: {
      ...webhooks,
      ...(webhooks.samples && { samples: webhooks.samples.map((sample) => withFile(sample, directory)) }),
      ...(webhooks.handshakes && { handshakes: webhooks.handshakes.map((sample) => withFile(sample, directory)) }),
    },
  };
}

function withFile<T extends WebhookSample>(sample: T, directory: string): T {
  if (sample.file === undefined) return sample;
  const path = join(directory, sample.file);
  const inside = relative(directory, path);
  if (inside.startsWith('..') || isAbsolute(inside))
    throw new Error(`sample ${sample.name}: ${sample.file} is outside the folder`);
  return { ...sample, text: readFileSync(path, 'utf8') };
}

/** The fixtures with `{{provider}}` replaced in every text. */
export function withProviderUrl(fixtures: ConformanceFixtures, url: string): ConformanceFixtures {
  return JSON.parse(JSON.stringify(fixtures).replaceAll('{{provider}}', url));
}
