import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, endStranger } from './processes.mjs';

export const USER = 'gatehouse';
export const DATABASE = 'gatehouse';

/** @param {string} dir @returns {number | null} the major version of the cluster below dir */
export function clusterMajor(dir) {
  const file = join(dir, 'cluster', 'PG_VERSION');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
}

/**
 * Creates the cluster if there is none: scram passwords only, C locale, UTF-8.
 * @param {import('./postgres-identity.mjs').Identity} identity
 * @returns {{cluster: string, password: string}}
 */
export function ensureCluster(identity) {
  const cluster = join(identity.dir, 'cluster');
  const passwordFile = join(identity.dir, 'password');
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    // Created under another name first: an interrupted initdb must not pass for a cluster.
    const draft = join(identity.dir, 'cluster.new');
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    identity.own(draft);
    identity.own(passwordFile);
    const { command, args, options } = identity.command('initdb', [
      '-D',
      draft,
      '-U',
      USER,
      '--pwfile',
      passwordFile,
      '--auth=scram-sha-256',
      '--locale=C',
      '--encoding=UTF8',
      '--no-instructions',
    ]);
    const run = spawnSync(command, args, { encoding: 'utf8', cwd: '/', ...options });
    if (run.status !== 0) throw new Error(`initdb failed: ${(run.stderr || run.error?.message || '').trim()}`);
    renameSync(draft, cluster);
  }
  if (!existsSync(passwordFile))
    throw new Error(`${passwordFile} is missing: the database in ${cluster} cannot be opened without it.`);
  // A run under another identity (root, or a user namespace) may have left it with another owner.
  identity.own(cluster);
  return { cluster, password: readFileSync(passwordFile, 'utf8').trim() };
}

/**
 * Cleans up after a launcher that was killed with -9: ends a server that still runs on this cluster, and removes a
 * postmaster.pid whose pid has been reused (Postgres would take that for a running server).
 * @param {string} cluster
 */
export async function clearLeftover(cluster) {
  const file = join(cluster, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (commandOf(pid).includes(cluster)) await endStranger(pid, ['SIGINT', 'SIGQUIT', 'SIGKILL'], 10_000);
  rmSync(file, { force: true });
}
