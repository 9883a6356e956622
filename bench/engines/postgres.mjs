import { setTimeout as pause } from 'node:timers/promises';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/launcher/ports.mjs';
import { connect, startPostgres } from '../../scripts/launcher/postgres.mjs';
import { fillDisk } from './disk.mjs';
import { ordinaryUser, startMembers, until } from './patroni.mjs';
import { enginePrograms } from './programs.mjs';
import { server } from './server.mjs';

/** @typedef {import('./redis.mjs').Engine} Engine */
/** @typedef {Exclude<Awaited<ReturnType<typeof startMembers>>, {missing: string}>} Members */

const proxyAwayMs = 5_000;
const frozenMs = 10_000;
const fullMs = 20_000;
const takenMs = 15_000;
const awayMs = 15_000;
/** Patroni's ttl less its safety margin: a watchdog resets the machine before another takes the lead. */
const watchdogMs = 15_000;

/** @param {Members} of */
async function switchover({ primary, isPrimary, until }) {
  const before = await primary();
  const answer = await fetch(`${before.api}/switchover`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ leader: before.name }),
  });
  if (!answer.ok) throw new Error(`Patroni refuses the switchover: ${await answer.text()}`);
  await until('another is the primary', async () => !(await isPrimary(before)));
}

/** @param {Members} of */
async function fillPrimary({ primary }) {
  await fillDisk((await primary()).home, fullMs);
}

/** Takes every connection that Postgres has for those who are no administrators. @param {Members} of */
async function takeConnections({ url }) {
  const admin = await connect(url);
  await admin.query("DO $$ BEGIN CREATE ROLE hog LOGIN PASSWORD 'hog'; EXCEPTION WHEN duplicate_object THEN END $$");
  const own = new URL(url);
  own.username = 'hog';
  own.password = 'hog';
  const taken = [];
  const end = Date.now() + takenMs;
  while (Date.now() < end) {
    try {
      taken.push(await connect(own.href));
    } catch {
      // All are taken: those that are given back are taken, too.
      await pause(50);
    }
  }
  await Promise.all(taken.map((client) => client.end()));
  await admin.end();
}

/** @param {string} dir @returns {Promise<Engine | {missing: string}>} */
export async function startPatroni(dir) {
  const started = await startMembers(dir);
  if ('missing' in started) return started;
  const { url, haproxy, members, primary, close } = started;
  const disks = members.every(({ isDisk }) => isDisk);
  return {
    name: 'Postgres 15: Patroni of three, etcd, HAProxy',
    env: { DATABASE_URL: url },
    rows: [
      { name: 'switchover', strike: () => switchover(started) },
      {
        name: 'kill -9 of the primary, back after 15 s',
        async strike() {
          const before = await primary();
          await before.kill();
          await pause(awayMs);
          before.start();
          await primary();
        },
      },
      {
        name: 'primary frozen, reset by its watchdog after 15 s',
        async strike() {
          const before = await primary();
          before.freeze();
          await pause(watchdogMs);
          await before.kill();
          before.start();
          await primary();
        },
      },
      {
        name: 'HAProxy away for 5 s',
        async strike() {
          await haproxy.kill();
          await pause(proxyAwayMs);
          haproxy.start();
        },
      },
      ...(disks ? [{ name: "the primary's disk full for 20 s", strike: () => fillPrimary(started) }] : []),
      { name: 'max_connections taken for 15 s', strike: () => takeConnections(started) },
      {
        name: 'all three away for 15 s',
        async strike() {
          await primary();
          await Promise.all(members.map((each) => each.kill()));
          await pause(awayMs);
          for (const each of members) each.start();
          await primary();
        },
      },
    ],
    close,
  };
}

/**
 * PgBouncer in transaction mode, as docs/operations.md says, before one Postgres. The distribution's knows no prepared
 * statements.
 * @param {string} dir @returns {Promise<Engine | {missing: string}>}
 */
export async function startPgBouncer(dir) {
  const programs = enginePrograms(dir);
  if ('missing' in programs) return programs;
  const user = ordinaryUser();
  if (process.getuid?.() === 0 && !user)
    return { missing: 'there is no user postgres, and PgBouncer refuses to be root' };
  chmodSync(dir, 0o755);
  const postgres = await startPostgres({ dataDir: join(dir, 'postgres') });
  const behind = new URL(postgres.url);
  const home = join(dir, 'pgbouncer');
  mkdirSync(home, { mode: 0o700 });
  const port = await freePort();
  const users = join(home, 'users.txt');
  writeFileSync(users, `"${behind.username}" "${behind.password}"\n`, { mode: 0o600 });
  const file = join(home, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `gatehouse = host=127.0.0.1 port=${behind.port} auth_user=${behind.username}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'pool_mode = transaction',
      'auth_type = scram-sha-256',
      `auth_file = ${users}`,
      'max_client_conn = 500',
      'default_pool_size = 10',
      '',
    ].join('\n'),
    { mode: 0o600 },
  );
  if (user) for (const path of [home, users, file]) chownSync(path, user.uid, user.gid);
  const bouncer = server({
    name: 'PgBouncer',
    port,
    command: programs.pgbouncer,
    args: [file],
    env: programs.env,
    log: join(dir, 'pgbouncer.log'),
    cwd: home,
    ...(user && { user }),
  });
  bouncer.start();
  const through = new URL(postgres.url);
  through.port = String(port);
  const close = async () => {
    await bouncer.kill();
    await postgres.stop();
  };
  await until('PgBouncer leads to Postgres', async () => {
    const client = await connect(through.href);
    await client.end();
    return true;
  }).catch(async (error) => {
    await close();
    throw error;
  });
  through.searchParams.set('prepare', 'false');
  return {
    name: 'PgBouncer 1.18 in transaction mode',
    env: { DATABASE_URL: through.href, DATABASE_DIRECT_URL: postgres.url },
    rows: [
      {
        name: 'kill -9 of PgBouncer, back at once',
        async strike() {
          await bouncer.kill();
          bouncer.start();
        },
      },
      {
        name: 'kill -9 of PgBouncer, back after 5 s',
        async strike() {
          await bouncer.kill();
          await pause(proxyAwayMs);
          bouncer.start();
        },
      },
      {
        name: 'PgBouncer stopped for 10 s, and continued',
        async strike() {
          bouncer.freeze();
          await pause(frozenMs);
          bouncer.thaw();
        },
      },
    ],
    close,
  };
}
