import { signalProcess } from './processes.mjs';

/**
 * A running child as the supervisor sees it.
 * @typedef {object} Running
 * @property {number} pid
 * @property {Promise<string>} exited how it ended, in words; never rejects
 * @property {() => Promise<void>} stop ends it and waits until it has exited
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
 * Sends the signals in order, each with its own wait, until the child has exited.
 * @param {number} pid
 * @param {Promise<string>} exited
 * @param {Array<{signal: NodeJS.Signals, waitMs: number, group?: boolean}>} steps group: signals the whole process
 *   group
 */
export async function stopChild(pid, exited, steps) {
  let gone = false;
  void exited.then(() => (gone = true));
  for (const { signal, waitMs, group } of steps) {
    // One turn of the event loop, to notice an exit that already happened: the pid may belong to another process by
    // now.
    await new Promise((resolve) => setImmediate(resolve));
    if (gone) return;
    signalProcess(group ? -pid : pid, signal);
    let timer;
    await Promise.race([exited, new Promise((resolve) => (timer = setTimeout(resolve, waitMs)))]);
    clearTimeout(timer);
  }
}
