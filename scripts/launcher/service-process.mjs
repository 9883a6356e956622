import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exitOf, stopChild } from './child.mjs';
import { setNiceness } from './niceness.mjs';
import { root } from './project.mjs';
import { say } from './say.mjs';

const ROTATE_BYTES = 64 * 1024 * 1024;
const DRAIN_MS = 20_000;
const SAY_EVERY_MS = 15_000;

/** @param {string} dataDir @param {string} name */
export const logFileOf = (dataDir, name) => join(dataDir, 'logs', `${name}.log`);

/**
 * Opens a log for appending. A large one is renamed first; one older file is kept.
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
 * Starts a service in a process group of its own: Ctrl-C in the terminal reaches only the launcher, which lets services
 * drain.
 * @param {object} options
 * @param {string} options.dataDir
 * @param {Pick<import('./service-group.mjs').Group, 'name' | 'entry' | 'niceness'>} options.service
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string[]} [options.flags] for Node
 * @returns {import('./child.mjs').Running}
 */
export function startService({ dataDir, service, env, flags = [] }) {
  const log = openLog(dataDir, service.name);
  const child = spawn(process.execPath, ['--enable-source-maps', ...flags, join(root, service.entry)], {
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
 * Waits until a service answers GET /health/ready with 200, however long that takes on a busy machine, and reports what
 * it waits for. A service that exits meanwhile is restarted by its supervisor.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.origin
 * @param {string} options.logFile quoted in reports, with its last lines
 * @param {AbortSignal} options.signal ends the waiting
 * @param {(text: string) => void} [options.report]
 * @param {number} [options.sayEveryMs]
 * @throws the signal's reason
 */
export async function waitReady({ name, origin, logFile, signal, report = say, sayEveryMs = SAY_EVERY_MS }) {
  for (let started = Date.now(), reportedAt = started; ; await pause(100, undefined, { signal })) {
    const answer = await readiness(origin, signal);
    if (answer === 'ready') return;
    if (Date.now() - reportedAt < sayEveryMs) continue;
    reportedAt = Date.now();
    const seconds = ((reportedAt - started) / 1000).toFixed(0);
    report(`Waiting for ${name} for ${seconds} s: ${answer}. The end of ${logFile}:\n${lastLines(logFile, 3)}`);
  }
}

/**
 * @param {string} origin
 * @param {AbortSignal} signal
 * @returns {Promise<string>} `ready`, or why it is not
 */
async function readiness(origin, signal) {
  try {
    const { status, text } = await answerOf(`${origin}/health/ready`, signal);
    return status === 200 ? 'ready' : `it answers ${status} ${text.slice(0, 300)}`;
  } catch (error) {
    signal.throwIfAborted();
    return `no answer (${error instanceof Error ? error.message : String(error)})`;
  }
}

/**
 * Without `fetch`, where a refused connection costs some ms: nine starting services refuse several hundred.
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<{status: number, text: string}>}
 */
function answerOf(url, signal) {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal, timeout: 5_000 }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part));
      answer.once('error', reject).once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    request.once('timeout', () => request.destroy(new Error('no answer within 5 s')));
    request.once('error', reject);
  });
}

/** @param {string} logFile @param {number} count */
export function lastLines(logFile, count) {
  return existsSync(logFile) ? readFileSync(logFile, 'utf8').trim().split('\n').slice(-count).join('\n') : '(empty)';
}
