import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { commandOf } from '../../scripts/launcher/processes.mjs';
import { services } from '../../scripts/launcher/services.mjs';
import { startHelper } from '../processes.mjs';

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {'builtin' | 'adapter'} route the App that receives the messages
 * @property {(installation: import('./installation.mjs').Installation, adapter: FickleAdapter) => Promise<void>} strike
 *   resolves once the cause is removed; restarts are up to the supervisor
 */
/** @typedef {{send: (mode: string) => Promise<void>, dieFor: (ms: number) => Promise<void>, url: string, stop: () => Promise<void>}} FickleAdapter */

const outageMs = 5_000;
/** After it answers: then it has just begun to take work. */
const graceMs = 150;

/** Sends kill -9 and waits until the process is gone. @param {number} pid */
async function killNow(pid) {
  process.kill(pid, 'SIGKILL');
  while (commandOf(pid)) await pause(2);
}

/** @param {string} url */
async function answers(url) {
  const asked = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await asked())) await pause(20);
}

/** @type {Fault[]} */
export const faults = [
  ...services.map(
    ({ name }) =>
      /** @type {Fault} */ ({
        name: `kill -9 ${name}`,
        route: 'builtin',
        strike: (installation) => killNow(installation.pidOf(name)),
      }),
  ),
  {
    name: 'kill -9 engine, again as soon as it is up',
    route: 'builtin',
    async strike(installation) {
      await killNow(installation.pidOf('engine'));
      await answers(`${installation.urlOf('engine')}/openapi.json`);
      await pause(graceMs);
      await killNow(installation.pidOf('engine'));
    },
  },
  {
    name: 'kill -9 Redis, restarted empty',
    route: 'builtin',
    async strike(installation) {
      await killNow(installation.pidOf('redis'));
      await rm(join(installation.dataDir, 'redis', 'appendonlydir'), { recursive: true, force: true });
    },
  },
  {
    name: 'kill -9 Postgres',
    route: 'builtin',
    strike: (installation) => killNow(installation.pidOf('postgres')),
  },
  ...['hang', 'fail'].map(
    (mode) =>
      /** @type {Fault} */ ({
        name: mode === 'hang' ? 'adapter hangs 5 s' : 'adapter answers 500 for 5 s',
        route: 'adapter',
        async strike(_installation, adapter) {
          await adapter.send(mode);
          await pause(outageMs);
          await adapter.send('ok');
        },
      }),
  ),
  {
    name: 'adapter dies for 5 s',
    route: 'adapter',
    strike: (_installation, adapter) => adapter.dieFor(outageMs),
  },
];

/**
 * @param {{sinkUrl: string, secret: string}} options
 * @returns {Promise<FickleAdapter>}
 */
export async function startFickleAdapter(options) {
  let helper = await startHelper('chaos/fickle-adapter.mjs', options);
  const { port } = helper.ready;
  return {
    url: `http://127.0.0.1:${port}/fickle`,
    async send(mode) {
      const answer = await fetch(`http://127.0.0.1:${port}/mode`, { method: 'POST', body: mode });
      await answer.body?.cancel();
    },
    async dieFor(ms) {
      await killNow(helper.pid);
      await pause(ms);
      helper = await startHelper('chaos/fickle-adapter.mjs', { ...options, port });
    },
    stop: () => helper.stop(),
  };
}
