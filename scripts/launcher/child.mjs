import { signalProcess } from './processes.mjs';

/**
 * A running child as the supervisor sees it.
 * @typedef {object} Running
 * @property {number} pid
 * @property {Promise<string>} exited how it ended, in words; never rejects
 * @property {() => Promise<void>} stop ends it and waits until it is gone
 */

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
export function exitOf(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
}

/**
 * Sends the signals one after the other, each with its time, until the child is gone.
 * @param {number} pid
 * @param {Promise<string>} exited
 * @param {Array<{signal: NodeJS.Signals, waitMs: number, group?: boolean}>} steps group: to all processes it started too
 */
export async function stopChild(pid, exited, steps) {
  let gone = false;
  void exited.then(() => (gone = true));
  for (const { signal, waitMs, group } of steps) {
    // One turn, so that an exit that already happened is seen: its pid may be somebody else's by now.
    await new Promise((resolve) => setImmediate(resolve));
    if (gone) return;
    signalProcess(group ? -pid : pid, signal);
    let timer;
    await Promise.race([exited, new Promise((resolve) => (timer = setTimeout(resolve, waitMs)))]);
    clearTimeout(timer);
  }
}
