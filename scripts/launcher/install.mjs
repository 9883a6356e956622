import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.mjs';
import { root } from './project.mjs';
import { say } from './say.mjs';

const stamp = join(root, 'node_modules', '.gatehouse-stamp');

/**
 * Installs the packages of package-lock.json, without install scripts, unless this very lock file is already installed.
 * @returns {Promise<boolean>} whether anything was installed
 */
export async function ensureInstalled() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === lock) return false;
  say(
    existsSync(stamp)
      ? 'package-lock.json changed: installing …'
      : 'Installing dependencies (npm ci), about a minute the first time …',
  );
  const started = Date.now();
  await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root });
  writeFileSync(stamp, `${lock}\n`);
  say(`Dependencies installed in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return true;
}
