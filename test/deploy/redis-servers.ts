import { freePort, until } from '#libs/testing';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedis } from '../../scripts/launcher/redis-binaries.mjs';
import type { Certificates } from './certificates.js';

export const password = 'a-password-of-tests';

export interface Server {
  port: number;
  /** As its administrator. */
  ask(...command: [string, ...string[]]): Promise<unknown>;
  /** It stops answering, but keeps its connections. */
  stall(): void;
  /** It answers again, what it was asked meanwhile included. */
  resume(): void;
  /** kill -9 */
  kill(): Promise<void>;
}

interface How {
  /** TLS instead of plain connections. */
  tls?: Certificates;
  /** Lines of its configuration. */
  more?: string[];
  sentinel?: boolean;
}

/** A master, its replica, and three Sentinels that promote the replica when the master is gone for half a second. */
export interface Watched {
  /** Through the Sentinels, in the form of REDIS_URL. */
  url: string;
  /** The one that began as such. */
  master: Server;
  replica: Server;
  sentinels: Server[];
  /** Sends kill -9 to the master. @returns once the replica is promoted */
  failOver(): Promise<void>;
  /** Freezes the master, which keeps its connections. @returns once the replica is promoted */
  freezeMaster(): Promise<void>;
  close(): Promise<void>;
}

export async function startWatchedRedis(parent: string): Promise<Watched> {
  const auth = [`masterauth ${password}`];
  const master = await startRedis(parent, 'master', { more: auth });
  const replica = await startRedis(parent, 'replica', { more: [...auth, `replicaof 127.0.0.1 ${master.port}`] });
  await until('the replica follows', async () =>
    String(await replica.ask('INFO', 'replication')).includes('link_status:up'),
  );
  const more = [
    `sentinel monitor gatehouse 127.0.0.1 ${master.port} 2`,
    `sentinel auth-pass gatehouse ${password}`,
    'sentinel down-after-milliseconds gatehouse 500',
    'sentinel failover-timeout gatehouse 3000',
    `sentinel sentinel-pass ${password}`,
  ];
  const sentinels = await Promise.all(
    ['s1', 's2', 's3'].map((name) => startRedis(parent, name, { sentinel: true, more })),
  );
  await until('Sentinels know each other and the replica', async () => {
    const seen = await Promise.all(sentinels.map((one) => one.ask('SENTINEL', 'MASTER', 'gatehouse')));
    return seen.every((each) => /num-slaves,1,num-other-sentinels,2/.test(String(each)));
  });
  const [first, ...others] = sentinels.map(({ port }) => `127.0.0.1:${port}`);
  const promoted = () =>
    until('the replica is the master', async () => String(await replica.ask('ROLE')).startsWith('master'));
  return {
    master,
    replica,
    sentinels,
    url: `redis+sentinel://:${password}@${first}/gatehouse?nodes=${others.join(',')}&sentinel_password=${password}`,
    failOver: async () => {
      await master.kill();
      await promoted();
    },
    freezeMaster: async () => {
      master.stall();
      await promoted();
    },
    close: async () => void (await Promise.all([master, replica, ...sentinels].map((server) => server.kill()))),
  };
}

/** Masters that share the slots of a Cluster evenly; `start` keeps track of them. */
export async function startCluster(
  names: string[],
  start: (name: string, how: How) => Promise<Server>,
  { tls }: Pick<How, 'tls'> = {},
): Promise<{ nodes: Server[]; url: (user?: string) => string }> {
  const more = ['cluster-enabled yes', 'cluster-node-timeout 2000', `masterauth ${password}`];
  const nodes = await Promise.all(names.map((name) => start(name, { ...(tls && { tls }), more })));
  const [first, ...others] = nodes as [Server, ...Server[]];
  const fromOf = (index: number): number => Math.floor((16_384 * index) / nodes.length);
  for (const [index, node] of nodes.entries()) {
    await node.ask('CLUSTER', 'ADDSLOTSRANGE', String(fromOf(index)), String(fromOf(index + 1) - 1));
  }
  for (const { port } of others) await first.ask('CLUSTER', 'MEET', '127.0.0.1', String(port));
  await until('the Cluster is complete', async () => {
    const states = await Promise.all(nodes.map(async (node) => String(await node.ask('CLUSTER', 'INFO'))));
    return states.every((state) => state.includes('cluster_state:ok') && state.includes(`known_nodes:${nodes.length}`));
  });
  const hosts = others.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const scheme = tls ? 'rediss+cluster' : 'redis+cluster';
  const query = `nodes=${hosts}${tls ? `&ca=${tls.ca}` : ''}`;
  return { nodes, url: (user = '') => `${scheme}://${user}:${password}@127.0.0.1:${first.port}?${query}` };
}

/** A real server in this folder, with a password. */
export async function startRedis(
  parent: string,
  name: string,
  { tls, more = [], sentinel = false }: How = {},
): Promise<Server> {
  const binary = findRedis();
  if ('reasons' in binary) throw new Error(binary.reasons.join('; '));
  const dir = join(parent, name);
  mkdirSync(dir);
  const port = await freePort();
  const listens = tls
    ? [
        `port 0`,
        `tls-port ${port}`,
        `tls-cert-file ${tls.cert}`,
        `tls-key-file ${tls.key}`,
        `tls-ca-cert-file ${tls.ca}`,
        'tls-auth-clients no',
        'tls-replication yes',
        'tls-cluster yes',
      ]
    : [`port ${port}`];
  const config = [...listens, 'bind 127.0.0.1', `dir ${dir}`, 'save ""', `requirepass ${password}`, ...more];
  const file = join(dir, 'redis.conf');
  writeFileSync(file, `${config.join('\n')}\n`);
  chmodSync(file, 0o600);
  const child = spawn(binary.command, [file, ...(sentinel ? ['--sentinel'] : [])], {
    env: { ...process.env, ...binary.env },
    stdio: 'ignore',
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const client = new Redis({
    host: '127.0.0.1',
    port,
    password,
    ...(tls && { tls: { rejectUnauthorized: false } }),
    disableClientInfo: true,
    retryStrategy: () => 50,
  });
  client.on('error', () => undefined);
  await until(`${name} answers`, async () => (await client.ping()) === 'PONG');
  return {
    port,
    ask: (command, ...args) => client.call(command, ...args),
    stall: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill: async () => {
      client.disconnect();
      child.kill('SIGKILL');
      await exited;
    },
  };
}
