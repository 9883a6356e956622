import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exitOf, stopChild } from './child.mjs';
import { composeUp } from './compose.mjs';
import { freePort } from './ports.mjs';
import { writePrivate } from './private-file.mjs';
import { commandOf, endStranger } from './processes.mjs';
import { findRedis, redisNewEnough } from './redis-binaries.mjs';
import { ADMIN, aclFile, composePasswords } from './redis-users.mjs';
import { askRedis } from './ask-redis.mjs';
import { say } from './say.mjs';

/** Loading a large append-only file takes a while. */
const READY_MS = 120_000;

/** Ends a server that outlived its launcher: two servers must not write the same files. @param {string} file */
async function clearLeftover(file) {
  if (!existsSync(file)) return;
  const { pid, port } = JSON.parse(readFileSync(file, 'utf8'));
  const command = commandOf(pid);
  if (/(redis|valkey)/.test(command) && command.includes(String(port)))
    await endStranger(pid, ['SIGTERM', 'SIGKILL'], 10_000);
}

/**
 * Starts a private server on 127.0.0.1 that keeps its append-only file in `dir` and never evicts.
 * @param {object} options
 * @param {string} options.dir
 * @param {number} [options.port] any free one by default
 * @param {string} [options.log] file for the server's own log; `<dir>/redis.log` by default
 * @param {boolean} [options.durable] false writes nothing to disk: for throw-away data only
 * @param {string[]} [options.args] more for the server's command line
 * @param {boolean} [options.detached] its own process group, out of reach of the terminal's Ctrl-C
 * @param {(user: string) => string} [options.passwordOf] by service, and `admin`, whose credentials the url then has;
 *   without it everybody on this machine may do everything: for throw-away data only
 * @returns {Promise<import('./child.mjs').Running & {url: string, port: number, source: string}>}
 */
export async function startRedis({ dir: folder, port, log, durable = true, detached = true, passwordOf, args = [] }) {
  const dir = resolve(folder);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const binary = findRedis();
  if ('reasons' in binary) throw new Error(binary.reasons.join('; '));
  const pidFile = join(dir, 'server.json');
  await clearLeftover(pidFile);
  const at = port ?? (await freePort());
  const logFile = log ?? join(dir, 'redis.log');
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const output = openSync(logFile, 'a', 0o600);
  const users = join(dir, 'users.acl');
  // Rewritten at each start, since the rules depend on the version.
  if (passwordOf) writeFileSync(users, aclFile(passwordOf), { mode: 0o600 });
  const child = spawn(
    binary.command,
    [
      '--port',
      String(at),
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--daemonize',
      'no',
      '--save',
      '',
      ...(passwordOf ? ['--aclfile', users] : []),
      '--appendonly',
      durable ? 'yes' : 'no',
      '--appendfsync',
      'everysec',
      '--maxmemory-policy',
      'noeviction',
      ...args,
    ],
    { cwd: dir, detached, stdio: ['ignore', output, output], env: { ...process.env, ...binary.env } },
  );
  closeSync(output);
  const exited = exitOf(child);
  /** @type {string | null} */
  let end = null;
  void exited.then((how) => (end = how));
  const pid = child.pid ?? 0;
  const stop = () =>
    stopChild(pid, exited, [
      { signal: 'SIGTERM', waitMs: 15_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ]);
  const url = `redis://${passwordOf ? `${ADMIN}:${passwordOf('admin')}@` : ''}127.0.0.1:${at}`;
  writePrivate(pidFile, { pid, port: at });
  for (const until = Date.now() + READY_MS; ; await pause(25)) {
    if (end)
      throw new Error(
        `Redis ended at start (${end})\n${readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n')}`,
      );
    try {
      await askRedis(url, [['PING']], 1_000);
      return { url, port: at, pid, exited, stop, source: binary.source };
    } catch (error) {
      if (Date.now() < until) continue;
      await stop();
      throw new Error(`Redis does not answer: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/**
 * A server with a memory limit must not evict: evicted jobs are lost messages.
 * @param {string} url
 * @param {string} setting its name in the error
 */
async function checkGiven(url, setting) {
  let info;
  try {
    [, info = ''] = await askRedis(url, [['PING'], ['INFO']]);
  } catch (error) {
    throw new Error(`${setting} is set but cannot be used: ${error instanceof Error ? error.message : error}`);
  }
  const field = (/** @type {string} */ name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const version = field('redis_version');
  if (!redisNewEnough(version))
    throw new Error(`${setting}: Redis 6.2 or newer is needed, this is ${version || 'of an unknown version'}.`);
  const policy = field('maxmemory_policy');
  if (policy === 'noeviction' || !policy) return;
  const advice = `${setting}: maxmemory-policy is ${policy}; set it to noeviction, else queued messages can be evicted.`;
  if (Number(field('maxmemory')) > 0) throw new Error(advice);
  say(`Warning: ${advice}`);
}

/**
 * The Redis to use: REDIS_URL → docker compose → a server on the PATH → the distribution's package, unpacked privately.
 * @param {object} options
 * @param {string} options.dir the folder for a private server
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string} [options.installation] names the compose project; dir when left out
 * @param {Omit<Parameters<typeof startRedis>[0], 'dir'>} [options.server] for a private server
 * @returns {Promise<{url: string, users: boolean, source: string, pid: number | null, exited: Promise<string> | null, stop: () => Promise<void>}>}
 *   users: whether each service has a user of its own there; pid and exited are null for a server that is not our child
 * @throws one error that names each way and why it did not work
 */
export async function resolveRedis({ dir, env, installation = dir, server = {} }) {
  if (env.REDIS_URL) {
    await checkGiven(env.REDIS_URL, 'REDIS_URL');
    return { url: env.REDIS_URL, users: false, source: 'REDIS_URL', pid: null, exited: null, stop: async () => {} };
  }
  const { passwordOf } = server;
  const composed = composeUp(installation, 'redis', 6379, passwordOf ? composePasswords(passwordOf) : {});
  if (!('reason' in composed)) {
    return {
      url: `redis://${passwordOf ? `${ADMIN}:${passwordOf('admin')}@` : ''}127.0.0.1:${composed.port}`,
      users: passwordOf !== undefined,
      source: 'docker compose',
      pid: null,
      exited: null,
      stop: composed.stop,
    };
  }
  try {
    return { ...(await startRedis({ dir, ...server })), users: server.passwordOf !== undefined };
  } catch (error) {
    throw new Error(
      [
        'No Redis could be started. Any one of these ways will do:',
        '  - set REDIS_URL to a server of your own (redis://host:6379; 6.2 or newer, maxmemory-policy noeviction)',
        `  - docker compose (${composed.reason})`,
        `  - redis-server or valkey-server on the PATH, or a Debian or Ubuntu system: ${error instanceof Error ? error.message : error}`,
      ].join('\n'),
    );
  }
}
