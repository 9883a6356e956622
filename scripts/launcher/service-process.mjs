import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exitOf, stopChild } from './child.mjs';
import { setNiceness } from './niceness.mjs';
import { root } from './project.mjs';

const ROTATE_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 20_000;
const READY_MS = 180_000;

/** @param {string} dataDir @param {string} name */
export const logFileOf = (dataDir, name) => join(dataDir, 'logs', `${name}.log`);

/**
 * Opens a log to append to; a large one is put aside first (one older file is kept).
 * @param {string} dataDir
 * @param {string} name
 */
function openLog(dataDir, name) {
  const file = logFileOf(dataDir, name);
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  if (existsSync(file) && statSync(file).size > ROTATE_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

/**
 * Starts a service in a process group of its own (a Ctrl-C in the terminal is for the launcher, which lets it drain).
 * @param {object} options
 * @param {string} options.dataDir
 * @param {import('./services.mjs').Service} options.service
 * @param {NodeJS.ProcessEnv} options.env
 * @returns {import('./child.mjs').Running}
 */
export function startService({ dataDir, service, env }) {
  const log = openLog(dataDir, service.name);
  const child = spawn(process.execPath, ['--enable-source-maps', join(root, service.entry)], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const exited = exitOf(child);
  const pid = child.pid ?? 0;
  if (pid > 0) setNiceness(pid, service.niceness);
  const stop = () =>
    stopChild(pid, exited, [
      { signal: 'SIGTERM', waitMs: DRAIN_MS },
      { signal: 'SIGKILL', waitMs: 5_000, group: true },
    ]);
  return { pid, exited, stop };
}

/**
 * Waits until a service answers GET /health/ready with 200.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.origin
 * @param {string} options.logFile named in the error, with its last lines
 * @param {AbortSignal} options.signal
 */
export async function waitReady({ name, origin, logFile, signal }) {
  let last = 'no answer';
  for (const until = Date.now() + READY_MS; Date.now() < until; await pause(100, undefined, { signal })) {
    try {
      const answer = await fetch(`${origin}/health/ready`, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
      });
      await answer.body?.cancel();
      if (answer.status === 200) return;
      last = `status ${answer.status}`;
    } catch (error) {
      signal.throwIfAborted();
      last = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    }
  }
  const lines = existsSync(logFile) ? readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n') : '';
  throw new Error(`${name} is not ready after ${READY_MS / 1000} s (${last}). The end of ${logFile}:\n${lines}`);
}
