import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import { freePort } from '../../scripts/launcher/ports.mjs';
import { findRedis } from '../../scripts/launcher/redis-binaries.mjs';
import { askRedis } from '../../scripts/launcher/ask-redis.mjs';
import { fillDisk, mountDisk, unmountDisk } from './disk.mjs';
import { server } from './server.mjs';

/** @typedef {import('./server.mjs').Server} Server */
/** @typedef {import('../chaos/installation.mjs').Installation} Installation */
/** @typedef {{name: string, strike: (installation: Installation) => Promise<void>}} Row */
/**
 * `copies`: services with a second process; `projects`: further ones that messages are sent to.
 * @typedef {{name: string, env: NodeJS.ProcessEnv, copies?: string[], projects?: number, rows: Row[],
 *   close: () => Promise<void>}} Engine
 */

const slots = 16_384;
const frozenMs = 10_000;
const awayMs = 15_000;
const outOfMemoryMs = 10_000;
const fullMs = 20_000;
const diskMb = 256;
/** As an operator would set it: what is acknowledged to a service is on the disk within a second. */
const kept = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];

/** @param {Server} of @param {string[]} words @returns {Promise<string>} */
const ask = async ({ port }, ...words) => (await askRedis(`redis://127.0.0.1:${port}`, [words], 2_000))[0] ?? '';

/** @param {string} what @param {() => Promise<boolean>} holds */
async function until(what, holds) {
  for (const end = Date.now() + 60_000; Date.now() < end; await pause(100)) {
    if (await holds().catch(() => false)) return;
  }
  throw new Error(`in vain: ${what}`);
}

/** @param {string} dir @param {string} name @param {string[]} args @returns {Promise<Server>} */
async function node(dir, name, args) {
  const binary = findRedis();
  if ('reasons' in binary) throw new Error(binary.reasons.join('; '));
  const folder = join(dir, name);
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...kept, ...args];
  const log = join(dir, `${name}.log`);
  return server({ name, port, command: binary.command, args: own, env: binary.env, log, cwd: folder });
}

/** @param {Server} of */
const answers = (of) => until(`${of.name} answers`, async () => (await ask(of, 'PING')) === 'PONG');

/** @param {Server} of */
const isMaster = async (of) => /role:master/.test(await ask(of, 'INFO', 'replication'));

/** What `used_memory` allows no more writes of. @param {Server[]} all */
async function fillMemory(all) {
  for (const each of all) await ask(each, 'CONFIG', 'SET', 'maxmemory', '1');
  await pause(outOfMemoryMs);
  for (const each of all) await ask(each, 'CONFIG', 'SET', 'maxmemory', '0');
}

/** @param {Server[]} all */
async function away(all) {
  await Promise.all(all.map((each) => each.kill()));
  await pause(awayMs);
  for (const each of all) each.start();
  await Promise.all(all.map(answers));
}

/** @param {Server} of */
async function freeze(of) {
  of.freeze();
  await pause(frozenMs);
  of.thaw();
}

/** While Redis can write nothing, people read it under what needs attention. @param {Installation} of */
const isReported = ({ api }) =>
  until('what needs attention says that Redis cannot write', async () =>
    JSON.stringify(await api('GET', '/attention')).includes('redis_cannot_write'),
  );

/**
 * One Redis, with its append-only file on a disk of its own.
 * @param {string} dir @returns {Promise<Engine | {missing: string}>}
 */
export async function startOne(dir) {
  const disk = join(dir, 'redis-one');
  if (!mountDisk(disk, diskMb)) return { missing: 'a disk of its own needs root, who may mount' };
  const one = await node(dir, 'redis-one', []);
  one.start();
  await answers(one);
  return {
    name: 'One Redis',
    env: { REDIS_URL: `redis://127.0.0.1:${one.port}` },
    rows: [
      {
        name: 'disk full for 20 s',
        strike: (installation) => fillDisk(disk, fullMs, () => isReported(installation)),
      },
    ],
    async close() {
      await one.kill();
      unmountDisk(disk);
    },
  };
}

/**
 * A master, two replicas and three Sentinels.
 * @param {string} dir @returns {Promise<Engine>}
 */
export async function startSentinels(dir) {
  const data = [await node(dir, 'redis-1', []), await node(dir, 'redis-2', []), await node(dir, 'redis-3', [])];
  for (const each of data) each.start();
  await Promise.all(data.map(answers));
  const [first] = data;
  if (!first) throw new Error('no Redis');
  for (const each of data.slice(1)) await ask(each, 'REPLICAOF', '127.0.0.1', String(first.port));
  const sentinels = [];
  for (const name of ['sentinel-1', 'sentinel-2', 'sentinel-3']) {
    const of = await node(dir, name, []);
    const file = join(dir, name, 'sentinel.conf');
    writeFileSync(
      file,
      [
        `port ${of.port}`,
        'bind 127.0.0.1',
        `dir ${join(dir, name)}`,
        `sentinel monitor gatehouse 127.0.0.1 ${first.port} 2`,
        'sentinel down-after-milliseconds gatehouse 3000',
        'sentinel failover-timeout gatehouse 10000',
      ].join('\n'),
    );
    const binary = findRedis();
    if ('reasons' in binary) throw new Error(binary.reasons.join('; '));
    const args = [file, '--sentinel'];
    const how = { command: binary.command, args, env: binary.env, log: join(dir, `${name}.log`), cwd: join(dir, name) };
    sentinels.push(server({ name, port: of.port, ...how }));
  }
  for (const each of sentinels) each.start();
  const known = async (/** @type {Server} */ of) => /slaves=2,sentinels=3/.test(await ask(of, 'INFO', 'sentinel'));
  for (const each of sentinels) await until('Sentinels know each other', () => known(each));
  const [asked, ...others] = sentinels;
  if (!asked) throw new Error('no Sentinel');
  /** The master that two replicas follow: before the first row, and again before each other one. */
  const master = async () => {
    /** @type {Server | undefined} */
    let found;
    await until('a master has two replicas', async () => {
      for (const each of data) {
        const info = await ask(each, 'INFO', 'replication').catch(() => '');
        if (/role:master/.test(info) && /connected_slaves:2/.test(info)) found = each;
      }
      return found !== undefined && (await known(asked));
    });
    if (!found) throw new Error('no master');
    return found;
  };
  const nodes = others.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    name: 'Redis, three Sentinels',
    env: { REDIS_URL: `redis+sentinel://127.0.0.1:${asked.port}/gatehouse?nodes=${nodes}` },
    rows: [
      {
        name: 'switchover',
        async strike() {
          const before = await master();
          await ask(asked, 'SENTINEL', 'FAILOVER', 'gatehouse');
          await until('another is the master', async () => !(await isMaster(before)));
        },
      },
      {
        name: 'kill -9 of the master, back after 15 s',
        async strike() {
          const before = await master();
          await before.kill();
          await pause(awayMs);
          before.start();
          await answers(before);
        },
      },
      { name: 'master stopped for 10 s, and continued', strike: async () => freeze(await master()) },
      { name: 'maxmemory reached for 10 s', strike: async () => fillMemory([await master()]) },
      { name: 'all three away for 15 s', strike: () => master().then(() => away(data)) },
    ],
    close: async () => void (await Promise.all([...sentinels, ...data].map((each) => each.kill()))),
  };
}

/**
 * Three masters, each with a replica.
 * @param {string} dir @returns {Promise<Engine>}
 */
export async function startCluster(dir) {
  /** @type {Server[]} */
  const nodes = [];
  /** @type {number[]} */
  const buses = [];
  for (let n = 1; n <= 6; n += 1) {
    const bus = await freePort();
    buses.push(bus);
    const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-node-timeout', '3000'];
    nodes.push(await node(dir, `node-${n}`, [...cluster, '--cluster-announce-ip', '127.0.0.1']));
  }
  for (const each of nodes) each.start();
  await Promise.all(nodes.map(answers));
  const [masters, replicas] = [nodes.slice(0, 3), nodes.slice(3)];
  for (const [n, each] of masters.entries()) {
    const [from, to] = [n, n + 1].map((at) => Math.floor((slots / 3) * at));
    await ask(each, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1));
  }
  const [first] = nodes;
  if (!first) throw new Error('no node');
  for (const [n, { port }] of nodes.entries()) {
    if (n > 0) await ask(first, 'CLUSTER', 'MEET', '127.0.0.1', String(port), String(buses[n]));
  }
  const isWhole = async (/** @type {Server} */ of) => {
    const info = await ask(of, 'CLUSTER', 'INFO');
    return /cluster_state:ok/.test(info) && /cluster_known_nodes:6/.test(info);
  };
  for (const each of masters) await until('all nodes are known', () => isWhole(each));
  for (const [n, each] of replicas.entries()) {
    const id = await ask(/** @type {Server} */ (masters[n]), 'CLUSTER', 'MYID');
    await until('it takes its master', async () => (await ask(each, 'CLUSTER', 'REPLICATE', id)) === 'OK');
  }
  const followed = async (/** @type {Server} */ of) => /connected_slaves:1/.test(await ask(of, 'INFO', 'replication'));
  /** The master with most keys, and its replica; once every master has one. */
  const pair = async () => {
    /** @type {Server[]} */
    let now = [];
    await until('three masters have a replica each', async () => {
      now = [];
      for (const each of nodes) if ((await isMaster(each)) && (await followed(each))) now.push(each);
      return now.length === 3 && (await isWhole(first));
    });
    const sizes = await Promise.all(now.map(async (each) => Number(await ask(each, 'DBSIZE'))));
    const master = now[sizes.indexOf(Math.max(...sizes))];
    for (const each of nodes) {
      const info = await ask(each, 'INFO', 'replication');
      if (master && info.includes(`master_port:${master.port}`)) return { master, replica: each };
    }
    throw new Error('no replica');
  };
  const hosts = nodes.slice(1).map(({ port }) => `127.0.0.1:${port}`);
  return {
    name: 'Redis Cluster, three masters with a replica each',
    env: { REDIS_URL: `redis+cluster://127.0.0.1:${first.port}?nodes=${hosts.join(',')}` },
    rows: [
      {
        name: 'switchover of the busiest master',
        async strike() {
          const { replica } = await pair();
          await ask(replica, 'CLUSTER', 'FAILOVER');
          await until('it is the master', () => isMaster(replica));
        },
      },
      {
        name: 'kill -9 of the busiest master, back after 15 s',
        async strike() {
          const { master } = await pair();
          await master.kill();
          await pause(awayMs);
          master.start();
          await answers(master);
        },
      },
      { name: 'busiest master stopped for 10 s, and continued', strike: async () => freeze((await pair()).master) },
      {
        name: 'busiest master and its replica away for 15 s',
        async strike() {
          const { master, replica } = await pair();
          await away([master, replica]);
        },
      },
      {
        name: 'maxmemory reached for 10 s, everywhere',
        strike: () => pair().then(() => fillMemory(nodes)),
      },
      { name: 'all six away for 15 s', strike: () => pair().then(() => away(nodes)) },
    ],
    close: async () => void (await Promise.all(nodes.map((each) => each.kill()))),
  };
}

/**
 * The same, with each queue in four shards, which the messages of eight projects fill, and two processes each of the
 * services that have most of them.
 * @param {string} dir @returns {Promise<Engine>}
 */
export async function startShardedCluster(dir) {
  const engine = await startCluster(dir);
  return {
    ...engine,
    name: `${engine.name}, four shards`,
    env: { ...engine.env, QUEUE_SHARDS: '4' },
    copies: ['adapter-gateway', 'router'],
    projects: 7,
  };
}
