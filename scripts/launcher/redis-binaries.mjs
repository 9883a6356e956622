import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { librariesOf, unpackDebian } from './debian-packages.mjs';
import { cacheDir } from './project.mjs';

const LEAST = [6, 2];
const home = join(cacheDir, 'redis');

/**
 * @typedef {object} RedisBinary
 * @property {string} command
 * @property {NodeJS.ProcessEnv} env what it needs to find its libraries
 * @property {string} source
 */

/** @param {string} version like 7.0.15 */
export function redisNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}

/** @param {string} command @param {NodeJS.ProcessEnv} env @returns {string | null} version, null when it does not run */
function versionOf(command, env) {
  const probe = spawnSync(command, ['--version'], { encoding: 'utf8', env: { ...process.env, ...env } });
  return probe.status === 0 ? (/v=(\S+)/.exec(probe.stdout)?.[1] ?? null) : null;
}

/** @returns {RedisBinary | {reason: string}} */
function onPath() {
  const reasons = [];
  for (const command of ['redis-server', 'valkey-server']) {
    const version = versionOf(command, {});
    if (version && redisNewEnough(version)) return { command, env: {}, source: `${command} ${version}` };
    reasons.push(version ? `${command} ${version} is older than ${LEAST.join('.')}` : `no ${command} on the PATH`);
  }
  return { reason: reasons.join(', ') };
}

/** The unpacked download, if it exists and runs. @returns {RedisBinary | null} */
function unpacked() {
  const command = join(home, 'usr', 'bin', 'redis-server');
  if (!existsSync(command)) return null;
  const env = librariesOf(home);
  const version = versionOf(command, env);
  return version && redisNewEnough(version)
    ? { command, env, source: `the distribution's redis-server ${version} in .cache` }
    : null;
}

/** @returns {RedisBinary | {reason: string}} */
function download() {
  const reason = unpackDebian(home, ['redis-server', 'redis-tools'], 'redis-tools');
  return reason === null ? (unpacked() ?? { reason: 'the fetched redis-server does not run here' }) : { reason };
}

/** @returns {RedisBinary | {reasons: string[]}} a server binary: on the PATH, else fetched from the distribution */
export function findRedis() {
  const found = onPath();
  if (!('reason' in found)) return found;
  const fetched = unpacked() ?? download();
  return 'reason' in fetched ? { reasons: [found.reason, `fetching it with apt: ${fetched.reason}`] } : fetched;
}
