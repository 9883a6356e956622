// What each shipped adapter can do, as its manifest says.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../launcher/project.mjs';
import { head, row } from './sources.mjs';

const built = (/** @type {string} */ path) => pathToFileURL(join(root, 'dist', path)).href;

/** @returns {Promise<string>} the page */
export async function channelsPage() {
  const { shippedAdapters } = await import(built('apps/adapters/src/shipped-adapters.js'));
  const { readEnv } = await import(built('apps/adapters/src/env.js'));
  const { FEATURES, interimOf, offersFeature } = await import(built('libs/adapter-sdk/src/index.js'));
  const none = () => Promise.reject(new Error('the reference calls nobody'));
  /** @type {{ manifest: Manifest }[]} */
  const adapters = shippedAdapters(readEnv({}), { fetch: none, connect: none, close: none });
  const manifests = adapters.map(({ manifest }) => manifest).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const yes = (/** @type {unknown} */ is) => (is ? 'yes' : '');
  return [
    '# Shipped adapters',
    '',
    'What each can do, as its manifest says. How to connect one: [the pages of the adapters](../adapters/README.md). What a message has beyond its',
    'text, and what happens where a channel does not show it: [Beyond the text](../developer-portal.md#beyond-the-text).',
    '',
    'What an agent says before its answer (`send_interim`) is `edited` into it, or shown `once`: [agents](../agents.md#before-the-answer).',
    '',
    head(
      'Adapter',
      'Receives',
      'Without a public address',
      'Sends',
      ...FEATURES.map((/** @type {string} */ name) => `\`${name}\``),
      'Before the answer',
      'Threads',
      'Look-up',
      'Documents',
    ),
    ...manifests.map((manifest) =>
      row(
        `${manifest.name} \`${manifest.slug}\``,
        yes(manifest.capabilities.includes('receive')),
        yes(manifest.connect),
        yes(manifest.capabilities.includes('send')),
        ...FEATURES.map((/** @type {string} */ feature) => yes(offersFeature(manifest, feature))),
        interimOf(manifest) ?? '',
        yes(manifest.message?.threads),
        yes(manifest.message?.lookup),
        yes(manifest.sources),
      ),
    ),
    '',
    ...manifests.flatMap((manifest) => [`## ${manifest.name}`, '', manifest.description, '', ...factsOf(manifest), '']),
  ].join('\n');
}

/** @typedef {{ slug: string, name: string, description: string, capabilities: string[], message?: { max_length?: number, formats?: string[], threads?: boolean, lookup?: boolean, rate_per_address?: { count: number, seconds: number } }, events?: { type: string }[], sources?: object, connect?: object }} Manifest */

/** A table of what is known; nothing for an adapter that is no channel. @param {Manifest} manifest */
function factsOf(manifest) {
  const { message, events = [] } = manifest;
  const facts = [
    ['Characters of a part', message?.max_length?.toLocaleString('en') ?? ''],
    ['Formats', (message?.formats ?? []).join(', ')],
    ['Messages to one address', paceOf(manifest)],
    ['Events', events.map(({ type }) => `\`${type}\``).join(', ')],
  ].filter(([, value]) => value !== '');
  return facts.length === 0 ? [] : [head('Fact', 'Is'), ...facts.map(([name = '', value = '']) => row(name, value))];
}

/** @param {Manifest} manifest */
function paceOf({ message }) {
  const { count, seconds } = message?.rate_per_address ?? {};
  return count === undefined ? '' : `${count} in ${seconds} s`;
}
