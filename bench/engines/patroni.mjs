import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/launcher/ports.mjs';
import { findPostgres } from '../../scripts/launcher/postgres-binaries.mjs';
import { connect } from '../../scripts/launcher/postgres.mjs';
import { mountDisk, unmountDisk } from './disk.mjs';
import { enginePrograms } from './programs.mjs';
import { server } from './server.mjs';

/** @typedef {import('./server.mjs').Server} Server */

const password = 'a-password-of-the-engines';
/** Of a member's data: little, so that a disk is soon full. */
const diskMb = 900;

/** As docs/highly-available-stores.md shows them. */
const dcs = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  maximum_lag_on_failover: 1_048_576,
  master_start_timeout: 5,
  synchronous_mode: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: {
      max_connections: 200,
      wal_level: 'replica',
      wal_log_hints: 'on',
      max_wal_size: '256MB',
      min_wal_size: '64MB',
      max_slot_wal_keep_size: '256MB',
      shared_buffers: '128MB',
      tcp_keepalives_idle: 5,
      tcp_keepalives_interval: 1,
      tcp_keepalives_count: 3,
      tcp_user_timeout: 5_000,
    },
  },
};

/** @param {number} pid @returns {number[]} it and all that it has started */
function below(pid) {
  const parents = readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const [, parent] = (readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
      return [[Number(entry), Number(parent)]];
    } catch {
      // It has ended since.
      return [];
    }
  });
  return [pid, ...parents.filter(([, parent]) => parent === pid).flatMap(([child = 0]) => below(child))];
}

/** @param {number[]} pids @param {NodeJS.Signals} what */
function signal(pids, what) {
  for (const pid of pids) {
    try {
      process.kill(pid, what);
    } catch {
      // It has ended already.
    }
  }
}

/** @returns {{uid: number, gid: number} | undefined} who runs Postgres, which refuses to run as root */
export function ordinaryUser() {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  );
  return uid && gid ? { uid, gid } : undefined;
}

/** @param {string} what @param {() => Promise<boolean>} holds */
export async function until(what, holds) {
  for (const end = Date.now() + 90_000; Date.now() < end; await pause(200)) {
    if (await holds().catch(() => false)) return;
  }
  throw new Error(`in vain: ${what}`);
}

/**
 * Three members of Patroni, etcd and HAProxy, which leads to the primary.
 * @param {string} dir
 */
export async function startMembers(dir) {
  const programs = enginePrograms(dir);
  if ('missing' in programs) return programs;
  const binaries = findPostgres(15, 15);
  if ('reasons' in binaries) return { missing: binaries.reasons.join('; ') };
  if (!existsSync(join(binaries.bin, 'pg_basebackup'))) return { missing: `${binaries.bin} has no pg_basebackup` };
  const user = ordinaryUser();
  if (process.getuid?.() === 0 && !user)
    return { missing: 'there is no user postgres, and Postgres refuses to be root' };
  chmodSync(dir, 0o755);
  const { env } = programs;
  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
  const at = (/** @type {number} */ port) => `http://127.0.0.1:${port}`;
  const mkOwn = (/** @type {string} */ name) => {
    const path = join(dir, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  };
  const etcd = server({
    name: 'etcd',
    port: etcdPort,
    command: programs.etcd,
    args: Object.entries({
      'data-dir': mkOwn('etcd'),
      name: 'one',
      'initial-cluster': `one=${at(peerPort)}`,
      'listen-client-urls': at(etcdPort),
      'advertise-client-urls': at(etcdPort),
      'listen-peer-urls': at(peerPort),
      'initial-advertise-peer-urls': at(peerPort),
    }).map(([name, value]) => `--${name}=${value}`),
    env,
    log: join(dir, 'etcd.log'),
    cwd: dir,
    ...(user && { user }),
  });
  etcd.start();
  await until('etcd answers', async () => (await fetch(`${at(etcdPort)}/health`)).ok);
  const members = [];
  for (let n = 1; n <= 3; n += 1) members.push(await member(n));

  /** @param {number} n */
  async function member(n) {
    const name = `member${n}`;
    const [port, api] = [await freePort(), await freePort()];
    const home = mkOwn(name);
    const isDisk = mountDisk(home, diskMb, user);
    const data = join(home, 'data');
    const settings = {
      scope: 'gatehouse',
      name,
      restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
      etcd3: { hosts: [`127.0.0.1:${etcdPort}`] },
      bootstrap: { dcs, initdb: [{ encoding: 'UTF8' }, 'data-checksums'] },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: data,
        bin_dir: binaries.bin,
        pgpass: join(home, 'pgpass'),
        authentication: {
          superuser: { username: 'gatehouse', password },
          replication: { username: 'replicator', password },
        },
        parameters: { unix_socket_directories: '' },
        pg_hba: ['host replication replicator 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 scram-sha-256'],
      },
      // There is no device. A row that needs one does what it would do.
      watchdog: { mode: 'off' },
    };
    const file = join(dir, `${name}.yml`);
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(settings, null, 2), { mode: 0o644 });
    const patroni = server({
      name,
      port,
      command: programs.patroni.command,
      args: [...programs.patroni.args, file],
      env,
      log: join(dir, `${name}.log`),
      cwd: home,
      ...(user && { user }),
    });
    /** Patroni, and Postgres, which is a session of its own. */
    const pids = () => {
      const own = join(data, 'postmaster.pid');
      const postmaster = existsSync(own) ? Number(readFileSync(own, 'utf8').split('\n')[0]) : 0;
      return postmaster > 0 ? below(postmaster) : [];
    };
    return {
      name,
      port,
      api: at(api),
      home,
      isDisk,
      start: () => patroni.start(),
      async kill() {
        const all = pids();
        await patroni.kill();
        signal(all, 'SIGKILL');
      },
      freeze() {
        patroni.freeze();
        signal(pids(), 'SIGSTOP');
      },
    };
  }

  for (const each of members) each.start();
  const isPrimary = async (/** @type {{api: string}} */ of) => (await fetch(`${of.api}/primary`)).status === 200;
  /** The primary, once two replicas stream from it. */
  const primary = async () => {
    /** @type {Awaited<ReturnType<typeof member>> | undefined} */
    let found;
    await until('a primary has two replicas', async () => {
      found = undefined;
      for (const each of members) if (await isPrimary(each).catch(() => false)) found = each;
      const { members: all } = /** @type {any} */ (await (await fetch(`${found?.api}/cluster`)).json());
      const states = all.map((/** @type {any} */ one) => `${one.role} ${one.state}`);
      return (
        states.filter((/** @type {string} */ one) => /(replica|standby) (running|streaming)/.test(one)).length === 2
      );
    });
    if (!found) throw new Error('no primary');
    return found;
  };
  await primary();
  const backends = members.map(
    ({ name, port, api }) => `  server ${name} 127.0.0.1:${port} check port ${new URL(api).port}`,
  );
  writeFileSync(
    join(dir, 'haproxy.cfg'),
    [
      'defaults',
      '  mode tcp',
      '  timeout connect 2s',
      '  timeout client 1d',
      '  timeout server 1d',
      '  timeout check 2s',
      'listen primary',
      `  bind 127.0.0.1:${proxyPort}`,
      '  option httpchk OPTIONS /primary',
      '  http-check expect status 200',
      '  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
      ...backends,
      '',
    ].join('\n'),
  );
  const haproxy = server({
    name: 'HAProxy',
    port: proxyPort,
    command: programs.haproxy,
    args: ['-db', '-f', join(dir, 'haproxy.cfg')],
    env,
    log: join(dir, 'haproxy.log'),
    cwd: dir,
  });
  haproxy.start();
  const url = `postgresql://gatehouse:${password}@127.0.0.1:${proxyPort}/gatehouse`;
  await until('HAProxy leads to the primary', async () => {
    const client = await connect(url.replace(/gatehouse$/, 'postgres'));
    const found = await client.query("SELECT FROM pg_database WHERE datname = 'gatehouse'");
    if (!found.rowCount) await client.query('CREATE DATABASE gatehouse');
    await client.end();
    return true;
  });
  return {
    url,
    haproxy,
    members,
    primary,
    isPrimary,
    until,
    async close() {
      await haproxy.kill();
      await Promise.all(members.map((each) => each.kill()));
      await etcd.kill();
      for (const { home, isDisk } of members) if (isDisk) unmountDisk(home);
    },
  };
}
