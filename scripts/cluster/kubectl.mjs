import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/** The longest that one step may take: a busy machine is slow, and not broken. */
const PATIENCE_MS = 900_000;

/**
 * Runs a command to its end without blocking, since messages are counted meanwhile.
 * @param {string[]} command @param {string} [input]
 * @returns {Promise<string>} what it printed
 */
export function run([program = '', ...args], input) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    child.on('error', reject);
    // A command that ends early closes its stdin; its status says why.
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => {
      if (code === 0) resolve(out);
      else
        reject(
          new Error(`${[program, ...args].join(' ').slice(0, 300)} ended with ${code}: ${err.trim().slice(-1_000)}`),
        );
    });
    child.stdin.end(input ?? '');
  });
}

/** kubectl in the namespace of Gatehouse, or in another one. @param {string} command */
export function kubectlBy(command) {
  const words = command.split(' ');
  const kubectl = (/** @type {string[]} */ args, /** @type {string} */ input = '') => run([...words, ...args], input);
  return Object.assign(kubectl, {
    /** @param {string[]} args @returns {Promise<any>} */
    json: async (...args) => JSON.parse(await kubectl(['get', ...args, '-o', 'json'])),
    /** Prints by a program of one line in a pod of Gatehouse. @param {string} pod @param {string} program @param {string[]} more */
    node: (pod, program, ...more) =>
      kubectl([
        'exec',
        '-n',
        pod.startsWith('observer') ? 'gatehouse-test' : 'gatehouse',
        pod,
        '-c',
        'app',
        '--',
        'node',
        '--input-type=module',
        '-e',
        program,
        ...more,
      ]),
  });
}

/** @typedef {ReturnType<typeof kubectlBy>} Kubectl */

/**
 * @template T
 * @param {string} what
 * @param {() => Promise<T | false | null | undefined>} look
 * @returns {Promise<T>}
 */
export async function until(what, look) {
  const deadline = Date.now() + PATIENCE_MS;
  for (let last; ; await pause(1_000)) {
    try {
      const seen = await look();
      if (seen) return seen;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`timed out waiting until ${what}${last ? ` (${String(last)})` : ''}`);
  }
}
