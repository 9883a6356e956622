import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { folderId } from './project.mjs';

const USER_NAMESPACE = ['--user', '--map-user=1000', '--map-group=1000', '--'];
const READABLE = '/var/tmp';

/**
 * How to run Postgres, which refuses to run as root.
 * @typedef {object} Identity
 * @property {string} bin the binaries it may read
 * @property {string} dir the folder for its data
 * @property {(binary: string, args: string[]) => {command: string, args: string[], options: {uid?: number, gid?:
 *   number}}} command
 * @property {(path: string) => void} own makes it the owner of a file or folder
 */

/** The place for the data when the server's user cannot reach the data folder. @param {string} dir */
export const publicHome = (dir) => join(READABLE, `gatehouse-${folderId(dir)}`);

/**
 * Creates a folder where everybody may write. One that somebody else placed there is refused.
 * @param {string} path
 * @param {number} mode
 */
function claimPublic(path, mode) {
  if (!existsSync(path)) mkdirSync(path, { mode });
  const { uid } = lstatSync(path);
  if (uid !== 0 || !lstatSync(path).isDirectory()) throw new Error(`${path} is not a folder of root's: remove it`);
  chmodSync(path, mode);
}

/** @param {string} path @param {number} uid @param {number} gid */
function chownTree(path, uid, gid) {
  if (lstatSync(path).uid !== uid) chownSync(path, uid, gid);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) chownTree(join(path, name), uid, gid);
}

/** @returns {{uid: number, gid: number}} */
function ordinaryUser() {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout));
    if (uid && gid) return { uid, gid };
  }
  throw new Error(
    'Postgres refuses to run as root, and neither unshare nor a user "postgres" or "nobody" is here: start as an ordinary user.',
  );
}

/** @param {string} dir @param {{uid: number, gid: number}} user */
const reaches = (dir, user) => spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], { cwd: '/', ...user }).status === 0;

/**
 * @param {import('./postgres-binaries.mjs').PostgresBinaries} binaries
 * @param {string} dir the folder to keep data in; exists
 * @returns {Identity}
 */
export function postgresIdentity(binaries, dir) {
  // Existing data stays where it is, even if a later run could keep it in the data folder.
  const elsewhere =
    process.getuid?.() === 0 && !existsSync(join(dir, 'cluster')) && existsSync(join(publicHome(dir), 'cluster'));
  const plain = { bin: binaries.bin, dir: elsewhere ? publicHome(dir) : dir };
  if (process.getuid?.() !== 0) {
    return {
      ...plain,
      command: (binary, args) => ({ command: join(binaries.bin, binary), args, options: {} }),
      own: () => {},
    };
  }
  // A user namespace maps root to an ordinary id for this one process: no user is created, and root's folders stay
  // readable.
  const probe = spawnSync('unshare', [...USER_NAMESPACE, join(binaries.bin, 'postgres'), '--version']);
  if (probe.status === 0) {
    return {
      ...plain,
      command: (binary, args) => ({
        command: 'unshare',
        args: [...USER_NAMESPACE, join(binaries.bin, binary), ...args],
        options: {},
      }),
      own: (path) => chownTree(path, 0, 0),
    };
  }
  const user = ordinaryUser();
  const home = !elsewhere && reaches(dir, user) ? dir : publicHome(dir);
  if (home !== dir && existsSync(join(dir, 'cluster'))) {
    throw new Error(
      `the database in ${dir} cannot be reached by an ordinary user: start as the user who made it, or move it`,
    );
  }
  if (home !== dir) claimPublic(home, 0o711);
  let { bin } = binaries;
  if (!reaches(bin, user)) {
    const copy = join(READABLE, `gatehouse-postgres-${folderId(binaries.home)}`);
    claimPublic(copy, 0o755);
    if (!existsSync(join(copy, 'bin'))) cpSync(binaries.home, copy, { recursive: true, verbatimSymlinks: true });
    bin = join(copy, 'bin');
  }
  return {
    bin,
    dir: home,
    command: (binary, args) => ({ command: join(bin, binary), args, options: user }),
    own: (path) => chownTree(path, user.uid, user.gid),
  };
}
