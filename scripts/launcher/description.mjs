import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './private-file.mjs';

/**
 * What tools and scripts need to know about a running installation.
 * @typedef {object} Description
 * @property {string} base_url
 * @property {string | null} webhook_url null when the key that sealed it is lost: rotating the App's token makes a new one
 * @property {string | null} api_key null when the database was set up by another installation
 * @property {string | null} owner_link signs the owner in once; each start makes a new one
 * @property {string} organization_id
 * @property {string} project_id
 * @property {string} app_id
 * @property {Array<{name: string, pid: number | null, port: number, operations_port: number}>} services where each listens, and where its metrics and states are served
 * @property {{url: string, pid: number | null}} postgres
 * @property {{url: string, pid: number | null}} redis
 */

/** @param {string} dataDir */
export const descriptionFile = (dataDir) => join(dataDir, 'gatehouse.json');

/** @param {string} dataDir @returns {Partial<Description>} what the last run wrote */
export function readDescription(dataDir) {
  const file = descriptionFile(dataDir);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** @param {string} dataDir @param {Partial<Description>} description */
export const writeDescription = (dataDir, description) => writePrivate(descriptionFile(dataDir), description);

/**
 * What the terminal shows once everything runs. The API key stays in the file.
 * @param {string} dataDir
 * @param {Description} description
 */
export function banner(dataDir, { base_url, webhook_url, services, api_key, owner_link }) {
  const file = descriptionFile(dataDir);
  return [
    '',
    `  Portal       ${base_url}`,
    `  Sign in      ${owner_link} (works once, for an hour; each start makes a new one)`,
    `  Webhook URL  ${webhook_url ?? 'unknown: the key that sealed it is lost. Rotate the App’s token'}`,
    `  API key      ${api_key ? `in ${file}` : 'made by another installation over this database: create a new one in the console'}`,
    `  Services     ${services.map(({ name, port }) => `${name} :${port}`).join('  ')}`,
    `  Logs         ${join(dataDir, 'logs')}`,
    '',
    ...(webhook_url ? messageIn(webhook_url) : []),
    '  Ctrl-C stops everything; the data stays. `npm run reset` deletes it.',
    '',
  ].join('\n');
}

/** @param {string} webhookUrl */
const messageIn = (webhookUrl) => [
  '  Send a message:',
  `    curl -i '${webhookUrl}' -H 'content-type: application/json' -d '{"task":"Say hello"}'`,
  '',
];
