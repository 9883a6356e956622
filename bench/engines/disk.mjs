import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A disk of its own, which can be full without the machine's being full. Needs root.
 * @param {string} path @param {number} mb @param {{uid: number, gid: number}} [user]
 * @returns {boolean} whether there is one now
 */
export function mountDisk(path, mb, user) {
  if (process.getuid?.() !== 0) return false;
  mkdirSync(path, { recursive: true });
  const own = user ? `,uid=${user.uid},gid=${user.gid}` : '';
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mb}m,mode=0700${own}`, 'tmpfs', path]).status === 0;
}

/** @param {string} path */
export const unmountDisk = (path) => void spawnSync('umount', ['-l', path]);

/** @param {string} path on it @param {number} ms how long it is full @param {() => Promise<void>} [meanwhile] */
export async function fillDisk(path, ms, meanwhile) {
  const file = join(path, 'filling');
  const fd = openSync(file, 'w');
  try {
    // The last bytes, too.
    for (const size of [1_048_576, 4_096]) fill(fd, Buffer.alloc(size));
  } finally {
    closeSync(fd);
  }
  try {
    await Promise.all([pause(ms), meanwhile?.()]);
  } finally {
    rmSync(file);
  }
}

/** @param {number} fd @param {Buffer} part */
function fill(fd, part) {
  try {
    for (;;) writeSync(fd, part);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
