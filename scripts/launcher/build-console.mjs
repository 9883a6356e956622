import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, fingerprint } from './fingerprint.mjs';
import { root } from './project.mjs';
import { say } from './say.mjs';

/** With its separator, so that no other folder begins like it. */
export const consoleDir = join(root, 'apps/console/');
const stamp = join(root, 'dist/.build-stamp-console');
const output = join(root, 'dist/console');

/**
 * Builds the console's pages into dist/console, compressed ahead; does nothing when they are up to date.
 * @returns {Promise<boolean>} whether anything was built
 */
export async function ensureConsoleBuilt() {
  const before = fingerprint([...filesBelow(consoleDir), join(root, 'package-lock.json')]);
  const fresh = existsSync(join(output, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === before;
  if (fresh) return false;
  say('Building the console …');
  const started = Date.now();
  rmSync(stamp, { force: true });
  const { build } = await import('vite');
  await build({ configFile: join(consoleDir, 'vite.config.ts'), logLevel: 'warn' });
  writeFileSync(stamp, before);
  say(`Built the console in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return true;
}
