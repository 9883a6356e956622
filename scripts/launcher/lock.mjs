import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commandOf } from './processes.mjs';

const lockFile = (/** @type {string} */ dataDir) => join(dataDir, 'launcher.lock');

/**
 * Finds the launcher that runs over this data folder.
 * @param {string} dataDir
 * @returns {number | null} its pid; null when there is none, or the lock is left over from a killed one
 */
export function runningLauncher(dataDir) {
  let held;
  try {
    held = JSON.parse(readFileSync(lockFile(dataDir), 'utf8'));
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (missing || error instanceof SyntaxError) return null;
    throw error;
  }
  return held.command && commandOf(held.pid) === held.command ? held.pid : null;
}

/**
 * Locks the data folder until this process ends.
 * @param {string} dataDir
 * @throws when another launcher runs over it
 */
export function takeLock(dataDir) {
  const running = runningLauncher(dataDir);
  if (running)
    throw new Error(
      `Gatehouse already runs over ${dataDir} (pid ${running}). Stop it first, or choose another folder with --data-dir.`,
    );
  const file = lockFile(dataDir);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  rmSync(file, { force: true });
  try {
    writeFileSync(file, JSON.stringify({ pid: process.pid, command: commandOf(process.pid) }), {
      flag: 'wx',
      mode: 0o600,
    });
  } catch (error) {
    throw new Error(
      `Another launcher is starting over ${dataDir} right now (${error instanceof Error ? error.message : error})`,
    );
  }
  process.once('exit', () => rmSync(file, { force: true }));
}
