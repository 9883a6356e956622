// What each shipped adapter must not lose of what it receives, from the data of the tests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launcher/project.mjs';
import { head, row } from './sources.mjs';

const folder = join(root, 'apps/adapters/src');

/** @typedef {{ rule: string, from: string }} Rule */

/** @returns {string} the page */
export function inboundPage() {
  const adapters = readdirSync(folder)
    .filter((slug) => existsSync(join(folder, slug, 'inbound-rules.json')))
    .toSorted();
  return [
    '# What is kept of what arrives',
    '',
    'Each rule is a test: a payload, recorded or built after the provider’s documentation, and what has to come of it. The payloads are in',
    '`apps/adapters/src/<adapter>/inbound-rules.json`; `npm test -- inbound-rules` runs them.',
    '',
    ...adapters.flatMap((slug) => [`## ${slug}`, '', head('Rule', 'Payload'), ...rulesOf(slug).map(ruleRow), '']),
  ].join('\n');
}

/** @param {string} slug @returns {Rule[]} */
function rulesOf(slug) {
  return JSON.parse(readFileSync(join(folder, slug, 'inbound-rules.json'), 'utf8')).rules;
}

/** @param {Rule} rule */
function ruleRow({ rule, from }) {
  const [kind = '', source = ''] = from.split(/: (.*)/s);
  return row(rule, source.startsWith('https://') ? `[${kind}](${source})` : from);
}
