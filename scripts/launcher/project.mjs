import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json. */
export const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** Downloads, which any run may reuse and anybody may delete. */
export const cacheDir = join(root, '.cache');

/**
 * The folder of one installation's state: `--data-dir DIR`, else GATEHOUSE_DATA_DIR, else `.data`.
 * @param {NodeJS.ProcessEnv} env
 * @param {string[]} args
 * @returns {string} absolute path
 */
export function dataDirFrom(env, args) {
  const at = args.indexOf('--data-dir');
  if (at >= 0 && !args[at + 1]) throw new Error('--data-dir needs a folder');
  return resolve(root, (at >= 0 ? args[at + 1] : env.GATEHOUSE_DATA_DIR) || '.data');
}

/** A short name derived from the folder, for resources that must be outside of it.  @param {string} dir */
export const folderId = (dir) => createHash('sha256').update(dir).digest('hex').slice(0, 12);
