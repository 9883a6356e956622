import { spawn } from 'node:child_process';

/**
 * Runs npm with the user's npm settings (registry, proxy, credentials).
 * @param {string[]} args
 * @param {{cwd?: string, quiet?: boolean}} [options] quiet: keep stdout and stderr for the error message
 * @returns {Promise<string>} stdout when quiet, else ''
 * @throws when npm exits with a code other than 0
 */
export function npm(args, { cwd, quiet = false } = {}) {
  // `npm start` passes the path of its npm; a script started by hand uses the one on the PATH.
  const entry = process.env.npm_execpath;
  const own = entry && /npm-cli\.c?js$/.test(entry);
  const [command, argv] = own ? [process.execPath, [entry, ...args]] : ['npm', args];
  return new Promise((resolve, reject) => {
    const child = spawn(command, argv, {
      cwd,
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    });
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk) => (out += chunk));
    child.stderr?.on('data', (chunk) => (err += chunk));
    child.once('error', (error) => reject(new Error(`npm cannot be run: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(out);
      else reject(new Error(`npm ${args.join(' ')} failed (${signal ?? `exit code ${code}`})\n${err.trim()}`.trim()));
    });
  });
}
