import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/** The longest that one step may take: a busy machine is slow, and not broken. */
const PATIENCE_MS = 900_000;

/**
 * Runs a command to its end without blocking, since messages are counted meanwhile.
 * @param {string[]} command @param {string} [input]
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv}} [where]
 * @returns {Promise<string>} what it printed
 */
export function run([program = '', ...args], input, where = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], ...where });
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
          new Error(
            `${[program, ...args].join(' ').slice(0, 300)} ended with ${code}: ${(err.trim() || out.trim()).slice(-1_000)}`,
          ),
        );
    });
    child.stdin.end(input ?? '');
  });
}

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
