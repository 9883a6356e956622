import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './project.mjs';

/** EX_CONFIG of sysexits.h: the last line of the program's log says why, to the operator. */
const refused = 78;

/**
 * Runs one of the compiled programs to its end.
 * @param {string} entry from the project's root
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal} signal ends it
 * @param {string[]} args
 * @returns {Promise<string>} its stdout
 * @throws with the last lines of its output when it fails
 */
export function runStep(entry, env, signal, args = []) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--enable-source-maps', join(root, entry), ...args], {
      cwd: root,
      env,
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.once('error', reject);
    child.once('close', (code, ended) => {
      if (code === 0) return resolve(out);
      if (code === refused) return reject(new Error(JSON.parse(out.trim().split('\n').at(-1) ?? '').msg));
      const lines = `${out}${err}`.trim().split('\n').slice(-15).join('\n');
      reject(new Error(`${entry} failed (${ended ?? `exit code ${code}`})\n${lines}`));
    });
  });
}

/**
 * Reads the bootstrap's output: the last line that is a JSON object.
 * @param {string} output
 * @returns {{organization_id: string, project_id: string, api_key: string | null, owner_link: string | null,
 *   webhook_url_path: string | null, webhook_token: string | null, app_id: string}}
 */
export function bootstrapResult(output) {
  const line = output
    .trim()
    .split('\n')
    .findLast((text) => text.startsWith('{') && text.includes('"project_id"'));
  if (!line) throw new Error('the bootstrap printed no result');
  return JSON.parse(line);
}
