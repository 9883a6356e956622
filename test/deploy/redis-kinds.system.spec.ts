import { deliverySend, inboundParse, messageRoute, outboundSent, turnRun } from '#libs/contracts';
import { JobClient, JobServer } from '#libs/queue';
import { restoreLogs, silenceLogs, until } from '#libs/testing';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queuePrefix } from '../../libs/queue/src/connection.js';
import { resolveRedis } from '../../scripts/launcher/redis.mjs';
import { rulesOf } from '../../scripts/launcher/redis-users.mjs';
import { makeCertificates } from './certificates.js';
import { password, type Server, startCluster, startRedis, startWatchedRedis } from './redis-servers.js';

const payload = (id: string) => ({
  delivery_id: `dlv_${id}`,
  app_id: 'app_1',
  sender: null,
  message_ids: [],
  text_hash: null,
});

/** What `npm start` and its services do with Redis, through one address. */
async function exchange(redisUrl: string, meanwhile: (client: JobClient) => Promise<void> = async () => undefined) {
  expect(await resolveRedis({ dir: '', env: { REDIS_URL: redisUrl } })).toMatchObject({ url: redisUrl });
  const served: string[] = [];
  const client = new JobClient(redisUrl);
  // Nothing here needs a consumer made anew.
  const patience = { lookMs: 60_000, looks: 3, lives: 4 };
  const server = new JobServer({ redisUrl, queues: [outboundSent.queue], concurrency: 2, patience });
  const handle = async ({ delivery_id }: { delivery_id: string }) => void served.push(delivery_id.slice(4));
  server.addHandler(outboundSent.name, handle, true);
  server.addHandler(`${outboundSent.name}.dead`, async () => undefined, true);
  server.listen(() => undefined);
  try {
    await until('a job is taken', () => client.enqueue(outboundSent, payload('first')));
    await until('it is served', () => served.includes('first'));
    await meanwhile(client);
    // As a sweeper does: jobs that were not taken are added again.
    await until('a later job is served', async () => {
      await client.enqueue(outboundSent, payload('later'));
      return served.includes('later');
    });
    expect((await client.depth(outboundSent.queue)).waiting).toBeGreaterThanOrEqual(0);
    return served;
  } finally {
    await server.close();
    await client.close();
  }
}

describe('queues', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
  const tls = makeCertificates(dir);
  const running: Server[] = [];
  const start = async (...how: Parameters<typeof startRedis> extends [string, ...infer Rest] ? Rest : never) => {
    const server = await startRedis(dir, ...how);
    running.push(server);
    return server;
  };
  beforeAll(silenceLogs);
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.kill()));
  });
  afterAll(() => {
    rmSync(dir, { recursive: true });
    restoreLogs();
  });

  it('are served by a Redis with a password', async () => {
    const { port } = await start('password');
    expect(await exchange(`redis://:${password}@127.0.0.1:${port}`)).toContain('later');
  });

  it.each([
    ['is away by then', 'away'],
    ['goes away while it is informed of that', 'stalled'],
  ])('are closed when their jobs in flight are done, even if Redis %s', async (_what, how) => {
    const redis = await start(how);
    const redisUrl = `redis://:${password}@127.0.0.1:${redis.port}`;
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let done = false;
    const server = new JobServer({ redisUrl, queues: [outboundSent.queue], concurrency: 2 });
    const handle = async (): Promise<void> => {
      begun.resolve();
      await end.promise;
      done = true;
    };
    server.addHandler(outboundSent.name, handle, true);
    server.addHandler(`${outboundSent.name}.dead`, async () => undefined, true);
    server.listen(() => undefined);
    const client = new JobClient(redisUrl);
    await until('a job is taken', () => client.enqueue(outboundSent, payload('held')));
    await begun.promise;
    if (how === 'away') await redis.kill();
    else redis.stall();
    const closed = server.close();
    end.resolve();
    await until('the jobs in flight are done', () => done);
    if (how === 'stalled') await redis.kill();
    await closed;
    await client.close();
  });

  it('are served over TLS, and not by a server with a certificate of another authority', async () => {
    const { port } = await start('tls', { tls });
    expect(await exchange(`rediss://:${password}@localhost:${port}?ca=${tls.ca}`)).toContain('later');
    const stranger = new JobClient(`rediss://:${password}@localhost:${port}?ca=${tls.otherCa}`);
    expect(await stranger.enqueue(outboundSent, payload('x'))).toBe(false);
    await stranger.close();
  });

  it('are served by a Cluster with TLS, whose nodes share the queues', async () => {
    const { nodes, url } = await startCluster(['c1', 'c2', 'c3'], start, { tls });
    const rules = rulesOf('router').split(' ');
    for (const node of nodes) await node.ask('ACL', 'SETUSER', 'router', 'on', `>${password}`, ...rules);
    expect(await exchange(url('router'))).toContain('later');
    // The queues of a message's path are spread evenly over up to four nodes.
    const queues = [inboundParse, messageRoute, turnRun, deliverySend].map(({ queue }) => queue);
    const slots = await Promise.all(
      queues.map((queue) => nodes[0]?.ask('CLUSTER', 'KEYSLOT', `${queuePrefix(queue)}:${queue}:wait`)),
    );
    expect(new Set(slots.map((slot) => Math.floor(Number(slot) / 4_096))).size).toBe(4);
  });

  it.each([
    ['is killed', 'failOver'],
    ['is frozen and closes no connection', 'freezeMaster'],
  ] as const)('continue with the replica that Sentinels choose when the master %s', async (_what, how) => {
    const folder = join(dir, how);
    mkdirSync(folder);
    const watched = await startWatchedRedis(folder);
    const served = await exchange(watched.url, () => watched[how]());
    await watched.close();
    expect(served).toContain('later');
  });
});
