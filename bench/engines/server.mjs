import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { exitOf } from '../../scripts/launcher/child.mjs';

/**
 * A server process that is killed, stopped and started again, always on the same port and folder.
 * @typedef {object} Server
 * @property {string} name
 * @property {number} port
 * @property {() => void} start
 * @property {() => Promise<void>} kill -9, with all that it has started
 * @property {() => void} freeze SIGSTOP to all of it
 * @property {() => void} thaw
 */

/**
 * @param {{name: string, port: number, command: string, args: string[], env?: NodeJS.ProcessEnv, log: string,
 *   user?: {uid: number, gid: number}, cwd: string}} options
 * @returns {Server}
 */
export function server({ name, port, command, args, env = {}, log, user, cwd }) {
  let pid = 0;
  /** @type {Promise<string>} */
  let exited = Promise.resolve('');
  const signal = (/** @type {NodeJS.Signals} */ what) => {
    try {
      process.kill(-pid, what);
    } catch {
      // It has ended already.
    }
  };
  return {
    name,
    port,
    start() {
      const output = openSync(log, 'a');
      // A process group of its own: Postgres has a process for each connection.
      const how = { cwd, detached: true, stdio: /** @type {const} */ (['ignore', output, output]) };
      const child = spawn(command, args, { ...how, env: { ...process.env, ...env }, ...user });
      closeSync(output);
      exited = exitOf(child);
      pid = child.pid ?? 0;
    },
    async kill() {
      signal('SIGKILL');
      await exited;
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
  };
}
