import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.mjs';

/**
 * A package of the registry that is not a dependency. `sha512` is the registry's `dist.integrity`. It is pinned, so
 * that other content is rejected.
 * @typedef {{name: string, version: string, sha512: string}} Pinned
 */

/** @param {string} file */
async function sha512Of(file) {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('base64');
}

/**
 * Fetches a package with npm's own settings.
 * @param {Pinned} pinned @param {string} folder an empty one @param {string[]} [settings] of npm, for this call only
 * @returns {Promise<string>} its archive, a gzipped tar
 */
export async function fetchPackage({ name, version, sha512 }, folder, settings = []) {
  const args = ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder, ...settings];
  await npm(args, { cwd: folder, quiet: true });
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (!archive) throw new Error(`npm pack left no archive of ${name}`);
  if ((await sha512Of(join(folder, archive))) !== sha512) {
    throw new Error(`${name}@${version} does not have the pinned sha512: refusing to run it.`);
  }
  return join(folder, archive);
}
