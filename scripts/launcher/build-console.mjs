import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, fingerprint } from './fingerprint.mjs';
import { root } from './project.mjs';
import { say } from './say.mjs';

/** Ends with the separator, so that it is no prefix of another folder. */
export const consoleDir = join(root, 'apps/console/');
const stamp = join(root, 'dist/.build-stamp-console');
const output = join(root, 'dist/console');

/** What the console shows of the documentation. */
const docs = () => filesBelow(join(root, 'docs')).filter((path) => path.endsWith('.md'));

/**
 * Builds the console's pages into dist/console, precompressed. Does nothing when they are up to date.
 * @returns {boolean} whether anything was built
 */
export function ensureConsoleBuilt() {
  const before = fingerprint([...filesBelow(consoleDir), ...docs(), join(root, 'package-lock.json')]);
  const fresh = existsSync(join(output, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === before;
  if (fresh) return false;
  say('Building the console …');
  const started = Date.now();
  rmSync(stamp, { force: true });
  // In a separate process: a build sets NODE_ENV, which the services would inherit.
  const vite = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', consoleDir, '--logLevel', 'warn'],
    { cwd: root, stdio: 'inherit' },
  );
  if (vite.status !== 0) throw new Error('The build of the console failed (see above).');
  writeFileSync(stamp, before);
  say(`Built the console in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return true;
}
