import { freePort, testPasswords, until } from '#libs/testing';
import { roleOf } from '#libs/database';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { librariesOf, unpackDebian } from '../../scripts/launcher/debian-packages.mjs';
import { cacheDir } from '../../scripts/launcher/project.mjs';

export interface Pooler {
  version: string;
  /** Whether it supports prepared statements; from 1.21. */
  prepares: boolean;
  /** The address through it of this URL's database. */
  through(databaseUrl: string): string;
  /** Its log so far. */
  log(): string;
  stop(): Promise<void>;
}

const home = join(cacheDir, 'pgbouncer');

/** The PgBouncer on the PATH or of the distribution; null without one. */
function find(): { command: string; env: NodeJS.ProcessEnv; version: string } | null {
  const unpacked = join(home, 'usr/sbin/pgbouncer');
  const runs = (command: string, env: NodeJS.ProcessEnv) => {
    const { status, stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', env: { ...process.env, ...env } });
    return status === 0 ? { command, env, version: /PgBouncer (\S+)/.exec(stdout)?.[1] ?? '' } : null;
  };
  const onPath = runs('pgbouncer', {});
  if (onPath) return onPath;
  if (!existsSync(unpacked) && unpackDebian(home, ['pgbouncer'], 'pgbouncer') !== null) return null;
  return runs(unpacked, librariesOf(home));
}

export const pgbouncer = find();

/**
 * A PgBouncer in transaction mode with so few connections to Postgres that a service's sessions share them all the
 * time.
 * @param postgresUrl of the server behind it
 */
export async function startPooler(postgresUrl: string): Promise<Pooler> {
  if (!pgbouncer) throw new Error('there is no pgbouncer');
  const { command, env, version } = pgbouncer;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const prepares = major > 1 || minor >= 21;
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'));
  // It drops root privileges, and must still be able to read this.
  chmodSync(dir, 0o755);
  const port = await freePort();
  const server = new URL(postgresUrl);
  const users = Object.entries(testPasswords)
    .filter(([service]) => service !== 'owner')
    .map(([service, password]) => `"${roleOf(service)}" "${password}"`);
  writeFileSync(join(dir, 'users.txt'), `${users.join('\n')}\n`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    pool_mode: 'transaction',
    default_pool_size: 2,
    max_client_conn: 500,
    auth_type: 'scram-sha-256',
    auth_file: join(dir, 'users.txt'),
    ...(prepares ? { max_prepared_statements: 200 } : {}),
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const databases = `* = host=${server.hostname} port=${server.port}`;
  writeFileSync(join(dir, 'pgbouncer.ini'), `[databases]\n${databases}\n[pgbouncer]\n${lines.join('\n')}\n`);
  const child = spawn(command, [join(dir, 'pgbouncer.ini')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const through = (databaseUrl: string): string => {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${port}`;
    if (!prepares) url.searchParams.set('prepare', 'false');
    return url.href;
  };
  const own = new URL(postgresUrl);
  own.username = roleOf('router');
  own.password = testPasswords['router'] ?? '';
  await until('PgBouncer lets somebody in', async () => {
    const client = new pg.Client({ connectionString: through(own.href) });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
  return {
    version,
    prepares,
    through,
    log: () => log,
    stop: async () => {
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await exited;
      clearTimeout(timer);
      rmSync(dir, { recursive: true });
    },
  };
}
