import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './private-file.mjs';
import { commandOf, endStranger } from './processes.mjs';
import { say } from './say.mjs';

/** @typedef {Record<string, {pid: number, command: string}>} Children */

const fileOf = (/** @type {string} */ dataDir) => join(dataDir, 'processes.json');

/**
 * Records the running services, so that the next launcher can end them if this one is killed.
 * @param {string} dataDir
 * @returns {{add: (name: string, pid: number) => void, clear: () => void}}
 */
export function recordChildren(dataDir) {
  /** @type {Children} */
  const children = {};
  return {
    add(name, pid) {
      children[name] = { pid, command: commandOf(pid) };
      writePrivate(fileOf(dataDir), children);
    },
    clear: () => rmSync(fileOf(dataDir), { force: true }),
  };
}

/**
 * Ends the services of a launcher that was killed: no service may run twice over one database.
 * @param {string} dataDir
 */
export async function endLeftovers(dataDir) {
  if (!existsSync(fileOf(dataDir))) return;
  /** @type {Children} */
  const children = JSON.parse(readFileSync(fileOf(dataDir), 'utf8'));
  const alive = Object.entries(children).filter(([, { pid, command }]) => command && commandOf(pid) === command);
  if (alive.length) say(`Ending ${alive.map(([name]) => name).join(', ')}: left over from a run that was killed`);
  await Promise.all(alive.map(([, { pid }]) => endStranger(pid, ['SIGTERM', 'SIGKILL'], 20_000)));
  rmSync(fileOf(dataDir), { force: true });
}
