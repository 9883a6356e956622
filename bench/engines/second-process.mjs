import { readFileSync } from 'node:fs';
import { originOf } from '../../scripts/launcher/service-env.mjs';
import { freePort } from '../../scripts/launcher/ports.mjs';
import { logFileOf, startService, waitReady } from '../../scripts/launcher/service-process.mjs';
import { services } from '../../scripts/launcher/services.mjs';
import { copyOf } from '../copy-of.mjs';

/**
 * Starts another process of a service that `npm start` runs, with the settings of the first one. It shares the queues;
 * nobody calls it.
 * @param {Pick<import('../chaos/installation.mjs').Installation, 'dataDir' | 'pidOf'>} installation
 * @param {string} name
 * @returns {Promise<import('../../scripts/launcher/child.mjs').Running>}
 */
export async function startSecond({ dataDir, pidOf }, name) {
  const service = services.find((each) => each.name === name);
  if (!service) throw new Error(`there is no service ${name}`);
  const settings = readFileSync(`/proc/${pidOf(name)}/environ`, 'utf8')
    .split('\0')
    .filter(Boolean);
  const env = Object.fromEntries(
    settings.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const port = await freePort();
  const copy = copyOf(name, 2);
  const own = { ...env, PORT: String(port), OPERATIONS_PORT: '0' };
  const running = startService({ dataDir, service: { ...service, name: copy }, env: own });
  const signal = AbortSignal.timeout(120_000);
  await waitReady({ name: copy, origin: originOf(port), logFile: logFileOf(dataDir, copy), signal });
  return running;
}
