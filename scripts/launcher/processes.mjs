import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The command line of a process, '' when it is gone (or a zombie). Process ids are reused, above all in containers, so
 * a pid from a file proves nothing until its command line is compared.
 * @param {number} pid
 */
export function commandOf(pid) {
  if (!Number.isInteger(pid) || pid <= 1) return '';
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    } catch (error) {
      if (isGone(error)) return '';
      throw error;
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
}

/** @param {unknown} error */
const isGone = (error) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');

/**
 * @param {number} pid negative for a process group
 * @param {NodeJS.Signals} signal
 * @returns {boolean} false when it was already gone
 */
export function signalProcess(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/**
 * Ends a process that is not our child: one signal after the other until its command line is gone.
 * @param {number} pid
 * @param {NodeJS.Signals[]} signals mildest first
 * @param {number} eachMs how long each may take
 */
export async function endStranger(pid, signals, eachMs) {
  const command = commandOf(pid);
  for (const signal of signals) {
    if (!command || commandOf(pid) !== command) return;
    signalProcess(pid, signal);
    for (const until = Date.now() + eachMs; Date.now() < until && commandOf(pid) === command;) await pause(50);
  }
}
