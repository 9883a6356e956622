import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { exitOf, stopChild } from '../scripts/launcher/child.mjs';

/** @param {string} file beside this one */
const fileOf = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * Starts a helper of the benchmark that prints one JSON line once it is ready.
 * @param {string} file
 * @param {unknown} options passed as JSON
 * @returns {Promise<{ready: any, pid: number, stop: () => Promise<void>}>}
 */
export async function startHelper(file, options = {}) {
  const child = spawn(process.execPath, [fileOf(file), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const exited = exitOf(child);
  const pid = child.pid ?? 0;
  const line = new Promise((resolve) => createInterface(child.stdout).once('line', resolve));
  const first = await Promise.race([line, exited.then((how) => Promise.reject(new Error(`${file} ended: ${how}`)))]);
  const stop = () =>
    stopChild(pid, exited, [
      { signal: 'SIGTERM', waitMs: 5_000 },
      { signal: 'SIGKILL', waitMs: 2_000 },
    ]);
  return { ready: JSON.parse(String(first)), pid, stop };
}

/**
 * @typedef {object} LoadResult
 * @property {number} accepted answers 2xx
 * @property {number} perSecond
 * @property {number} p50 ms
 * @property {number} p99 ms
 * @property {number} p999 ms
 * @property {Record<string, number>} statuses
 * @property {number} refused connections that closed before their answer
 * @property {Array<[string, number, number]>} ids each accepted id, with the `n` of its body and when it was due, in ms since the epoch
 * @property {number} cpuMs of the generator
 */

/**
 * Runs the load generator to its end, in its own process.
 * @param {object} load see load-generator.mjs
 * @returns {Promise<LoadResult>}
 */
export async function runLoad(load) {
  const { ready, stop } = await startHelper('load-generator.mjs', load);
  await stop();
  return ready;
}
