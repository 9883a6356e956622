import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../scripts/launcher/ports.mjs';
import { startRedis } from '../scripts/launcher/redis.mjs';
import { askRedis } from '../scripts/launcher/ask-redis.mjs';

const slots = 16_384;

/**
 * Starts a Redis Cluster of several masters that share the slots evenly.
 * @param {{dir: string, log: string, passwordOf: (user: string) => string, nodes: number}} options
 * @returns `url` for services; `nodes`: the URL of each
 */
export async function startRedisCluster({ dir, log, passwordOf, nodes: count }) {
  const common = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];
  /** The ports of the cluster bus. @type {number[]} */
  const buses = [];
  /** @type {Awaited<ReturnType<typeof startRedis>>[]} */
  const servers = [];
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    for (let n = 0; n < count; n += 1) {
      const bus = await freePort();
      buses.push(bus);
      const args = [...common, '--cluster-port', String(bus)];
      servers.push(await startRedis({ dir: join(dir, String(n)), log: `${log}.${n}`, passwordOf, args }));
    }
    const [first, ...others] = servers;
    if (!first) throw new Error('a Cluster of no nodes');
    for (const [n, { url }] of servers.entries()) {
      const from = Math.floor((slots / count) * n);
      const to = Math.floor((slots / count) * (n + 1)) - 1;
      await askRedis(url, [['CLUSTER', 'ADDSLOTSRANGE', String(from), String(to)]]);
    }
    for (const [n, { port }] of others.entries()) {
      await askRedis(first.url, [['CLUSTER', 'MEET', '127.0.0.1', String(port), String(buses[n + 1])]]);
    }
    for (const { url } of servers) {
      while (!(await askRedis(url, [['CLUSTER', 'INFO']]))[0]?.includes('cluster_state:ok')) await pause(50);
    }
    const nodes = others.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const url = `${first.url.replace('redis://', 'redis+cluster://')}?nodes=${nodes}`;
    return { url, pid: first.pid, stop, nodes: servers.map(({ url: own, pid }) => ({ url: own, pid })) };
  } catch (error) {
    await stop();
    throw error;
  }
}
