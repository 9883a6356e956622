import { messageRoute, newId } from '#libs/contracts';
import { JobClient, JobServer } from '#libs/queue';
import { restoreLogs, silenceLogs, until } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queuePrefix } from '../../libs/queue/src/connection.js';
import { shardOf } from '../../libs/queue/src/shards.js';
import { type Server, startCluster, startRedis } from './redis-servers.js';

const { name, queue } = messageRoute;
const shards = 4;
const places = 2;
/** A connection to a node that is stopped is given up after 12 s. */
const wellBeforeMs = 8_000;
/** Five seconds for reports, and as many for connections. */
const closesWithinMs = 12_000;
const patience = { lookMs: 60_000, looks: 3, lives: 4 };

const job = (project_id: string) => ({
  receipt_id: newId('evt'),
  received_at: new Date().toISOString(),
  organization_id: 'org_1',
  project_id,
  app_id: 'app_1',
  app_kind: 'adapter' as const,
  verified_scheme: 'none',
});

/** A project whose jobs are in this shard. */
function projectIn(shard: number): string {
  for (let number = 0; ; number += 1) {
    const project_id = `prj_${number}`;
    if (shardOf(messageRoute, { project_id }, shards) === shard) return project_id;
  }
}

describe('while a node of a sharded Cluster is stopped', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-shards-'));
  const running: Server[] = [];
  let client: JobClient;
  let server: JobServer;
  let stopped: Server;
  let others: Server[];
  /** One on the node that is stopped, and one elsewhere. */
  let [away, here]: [string, string] = ['', ''];
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();

  beforeAll(async () => {
    silenceLogs();
    const { nodes, url } = await startCluster(['c1', 'c2', 'c3'], async (...how) => {
      const node = await startRedis(dir, ...how);
      running.push(node);
      return node;
    });
    const nodeOf = async (shard: number): Promise<number> => {
      const slot = Number(await nodes[0]?.ask('CLUSTER', 'KEYSLOT', `${queuePrefix(queue, shard)}:x`));
      return Math.floor((slot * nodes.length) / 16_384);
    };
    const homes = await Promise.all(Array.from({ length: shards }, (_, shard) => nodeOf(shard)));
    // Not shard 0, whose node has the marks.
    const shard = homes.findIndex((home) => home !== homes[0]);
    [away, here] = [projectIn(shard), projectIn(0)];
    stopped = nodes[homes[shard] ?? 0] as Server;
    others = nodes.filter((node) => node !== stopped);
    client = new JobClient(url(), undefined, shards);
    server = new JobServer({ redisUrl: url(), queues: [queue], concurrency: places, handOver: 0, shards, patience });
    const handle = async ({ project_id }: { project_id: string }): Promise<void> => {
      begun.push(project_id);
      if (project_id === away) await gate.promise;
    };
    server.addHandler(name, handle, true);
    server.addHandler(`${name}.dead`, async () => undefined, true);
    server.listen(() => undefined);
  });
  afterAll(async () => {
    stopped?.resume();
    await server?.close();
    await client?.close();
    await Promise.all(running.map((node) => node.kill()));
    rmSync(dir, { recursive: true });
    restoreLogs();
  });

  it('jobs whose end it does not take hold no places that jobs of other shards need', async () => {
    for (let number = 1; number <= places; number += 1) {
      await until('a job is taken', () => client.enqueue(messageRoute, job(away)));
      await until('it runs', () => begun.length === number);
    }
    stopped.stall();
    gate.resolve();
    await until('a job of another shard is taken', () => client.enqueue(messageRoute, job(here)));
    await until('it runs', () => begun.includes(here), wellBeforeMs);
  });

  it('only the first job of its shards waits in vain', async () => {
    expect(await client.enqueue(messageRoute, job(away))).toBe(false);
    const startMs = performance.now();
    for (let number = 1; number <= 10; number += 1) expect(await client.enqueue(messageRoute, job(away))).toBe(false);
    // Two seconds each otherwise.
    expect(performance.now() - startMs).toBeLessThan(10_000);
  });

  it('a server of its jobs closes, also when the Cluster is not whole and the node takes no report', async () => {
    await until('the others know it', async () => {
      const states = await Promise.all(others.map((node) => node.ask('CLUSTER', 'INFO')));
      return states.every((state) => String(state).includes('cluster_state:fail'));
    });
    const startMs = performance.now();
    await server.close();
    expect(performance.now() - startMs).toBeLessThan(closesWithinMs);
    await client.close();
    await until('no connection is left', async () => {
      const lists = await Promise.all(others.map((node) => node.ask('CLIENT', 'LIST', 'TYPE', 'NORMAL')));
      // The one of the test itself.
      return lists.every((list) => String(list).trim().split('\n').length === 1);
    });
  });
});
