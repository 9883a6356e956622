import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from './project.mjs';
import { say } from './say.mjs';

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

/** The unpacked download, if it is there and runs. @returns {RedisBinary | null} */
function unpacked() {
  const command = join(home, 'usr', 'bin', 'redis-server');
  if (!existsSync(command)) return null;
  const libs = ['usr/lib', 'lib'].flatMap((lib) => {
    const dir = join(home, lib);
    return existsSync(dir)
      ? [
          dir,
          ...readdirSync(dir)
            .filter((name) => name.endsWith('-gnu') || name.includes('-linux-'))
            .map((name) => join(dir, name)),
        ]
      : [];
  });
  const env = { LD_LIBRARY_PATH: libs.join(':') };
  const version = versionOf(command, env);
  return version && redisNewEnough(version)
    ? { command, env, source: `the distribution's redis-server ${version} in .cache` }
    : null;
}

/** @param {string} command @param {string[]} args @param {string} [cwd] */
function run(command, args, cwd) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (result.status === 0) return result.stdout;
  throw new Error(
    `${command} ${args.at(-1)}: ${(result.stderr || result.error?.message || '').trim().split('\n').at(-1)}`,
  );
}

/**
 * Fetches the distribution's packages with apt's own signatures checked, but with lists and archives of our own: needs no
 * root, installs nothing, starts no service.
 * @returns {RedisBinary | {reason: string}}
 */
function download() {
  const probe = spawnSync('apt-get', ['--version']);
  if (probe.status !== 0 || !existsSync('/var/lib/dpkg/status')) return { reason: 'not a Debian or Ubuntu system' };
  say('Fetching redis-server from the distribution into .cache/redis (nothing is installed) …');
  const scratch = `${home}.download-${process.pid}`;
  try {
    for (const dir of ['lists/partial', 'cache/archives/partial', 'debs', 'root'])
      mkdirSync(join(scratch, dir), { recursive: true });
    const settings = [
      `Dir::State::Lists=${join(scratch, 'lists')}`,
      `Dir::Cache=${join(scratch, 'cache')}`,
      'Dir::State::status=/var/lib/dpkg/status',
      'Debug::NoLocking=true',
      'Acquire::Languages=none',
      // As root apt would switch to a user of its own, which cannot write here.
      `APT::Sandbox::User=${process.getuid?.() === 0 ? 'root' : ''}`,
    ].flatMap((setting) => ['-o', setting]);
    run('apt-get', [...settings, '-qq', 'update']);
    // Its libraries too, since a slim system may lack them; the C library has to be the system's.
    const libraries = run('apt-cache', [...settings, 'depends', '--no-recommends', '--no-suggests', 'redis-tools'])
      .split('\n')
      .flatMap((line) => /^ {2}Depends: ((?:lib|lua)\S+)$/.exec(line)?.[1] ?? [])
      .filter((name) => name !== 'libc6');
    run(
      'apt-get',
      [...settings, '-qq', 'download', 'redis-server', 'redis-tools', ...libraries],
      join(scratch, 'debs'),
    );
    for (const name of readdirSync(join(scratch, 'debs')))
      run('dpkg-deb', ['-x', join(scratch, 'debs', name), join(scratch, 'root')]);
    rmSync(home, { recursive: true, force: true });
    renameSync(join(scratch, 'root'), home);
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return unpacked() ?? { reason: 'the fetched redis-server does not run here' };
}

/** @returns {RedisBinary | {reasons: string[]}} a server binary: on the PATH, else fetched from the distribution */
export function findRedis() {
  const found = onPath();
  if (!('reason' in found)) return found;
  const fetched = unpacked() ?? download();
  return 'reason' in fetched ? { reasons: [found.reason, `fetching it with apt: ${fetched.reason}`] } : fetched;
}
