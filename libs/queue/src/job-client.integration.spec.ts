import { appChanged, inboundParse, type JobContract, type JobCustody, messageRoute, newId } from '#libs/contracts';
import { type BreakableLink, openLink, type RedisDatabase, takeRedisDatabase, until } from '#libs/testing';
import { Redis } from 'ioredis';
import { JobClient } from './job-client.js';
import { route } from './testing/served-queue.js';

let redisDatabase: RedisDatabase;
let link: BreakableLink;
let redis: Redis;
let client: JobClient;

beforeAll(async () => {
  redisDatabase = await takeRedisDatabase();
  link = await openLink(redisDatabase.url);
  redis = new Redis(redisDatabase.url);
});
afterAll(async () => {
  redis.disconnect();
  await link.close();
  await redisDatabase.release();
});
beforeEach(async () => {
  client = new JobClient(link.url);
  // An add does not wait for the connection: earlier ones are missed, and left to the sweeper.
  await until('the client is connected', async () => (await client.waiting(queue)).own === 0);
});
afterEach(async () => {
  link.mend();
  await client.close();
  const keys = await redis.keys('{gatehouse:*');
  if (keys.length > 0) await redis.del(keys);
});

const queue = appChanged.queue;
const contract = appChanged as JobContract;
const change = (version: number): { app_id: string; version: number } => ({ app_id: 'app_1', version });
const enqueueMany = (count: number): Promise<boolean[]> =>
  Promise.all(Array.from({ length: count }, (_, version) => client.enqueue(appChanged, change(version))));

describe('a client of the queue', () => {
  it('adds concurrent jobs in batches, and the same set once', async () => {
    expect(await enqueueMany(70)).toEqual(Array.from({ length: 70 }, () => true));
    expect((await client.waiting(queue)).own).toBe(3);
    await enqueueMany(70);
    expect((await client.waiting(queue)).own).toBe(3);
  });

  it('adds surplus to a lane of its own, and reports both lanes together', async () => {
    const parse = (more: { custody?: JobCustody }) => ({
      receipt_id: newId('evt'),
      received_at: new Date().toISOString(),
      organization_id: 'org_1',
      project_id: 'prj_1',
      app_id: 'app_1',
      verified_scheme: null,
      ...more,
    });
    await Promise.all(
      [{}, { custody: { surplus: true } } as const, {}].map((more) => client.enqueue(inboundParse, parse(more))),
    );
    expect(await client.waiting(inboundParse.queue)).toEqual({ own: 1, surplus: 1 });
    expect(await client.depth(inboundParse.queue)).toMatchObject({ waiting: 2, active: 0, delayed: 0 });
  });

  it('adds once a job that is never batched and already waits', async () => {
    for (let times = 0; times < 3; times += 1) expect(await client.enqueue(appChanged, change(1))).toBe(true);
    await client.enqueue(appChanged, change(2));
    expect(await client.depth(queue)).toMatchObject({ waiting: 2, active: 0, delayed: 0 });
  });

  it('adds a job for each row where several have one id, each row once', async () => {
    const routed = (receipt_id: string, more: object = {}) => ({ ...route(receipt_id), key: 'k', ...more });
    const parsed = [routed('evt_1'), routed('evt_2'), routed('evt_2'), routed('evt_1', { custody: { attempts: 1 } })];
    for (const payload of parsed) await client.enqueue(messageRoute, payload);
    await client.enqueue(messageRoute, routed('evt_2', { custody: { attempts: 1 } }));
    expect((await client.waiting(messageRoute.queue)).own).toBe(5 - 1);
    const others = [routed('evt_3', { key: 'other' }), routed('evt_4', { key: 'other' })];
    await Promise.all(others.map((payload) => client.enqueue(messageRoute, payload)));
    expect((await client.waiting(messageRoute.queue)).own).toBe(5);
  });

  it('adds a later job once, and a retry beside the job that it comes from', async () => {
    await client.enqueueLater(appChanged, change(1), 60_000);
    await client.enqueueLater(appChanged, change(1), 90_000);
    expect(await client.depth(queue)).toMatchObject({ waiting: 0, delayed: 1 });
    await client.enqueue(appChanged, change(2));
    const item = { payload: change(2), attempts: 1, addedAtMs: Date.now() };
    await client.republish(contract, item, 60_000);
    expect(await client.depth(queue)).toMatchObject({ waiting: 1, delayed: 2 });
  });

  it('tells sweepers how long the oldest job has waited, without delays', async () => {
    expect(await client.behindMs(queue)).toBe(0);
    const since = Date.now() - 60_000;
    await client.enqueue(appChanged, change(1), since);
    await client.enqueue(appChanged, change(2));
    const behindMs = await client.behindMs(queue);
    expect(behindMs).toBeGreaterThanOrEqual(60_000);
    expect(behindMs).toBeLessThanOrEqual(Date.now() - since);
  });

  it('does not count a requested delay as a wait', async () => {
    await client.enqueueLater(appChanged, change(1), 60_000);
    await until('it waits', async () => {
      // A worker would move it when it is due.
      const [id] = await redis.zrange(`{gatehouse:q:${queue}}:${queue}:delayed`, '0', '-1');
      if (id)
        await redis
          .multi()
          .zrem(`{gatehouse:q:${queue}}:${queue}:delayed`, id)
          .lpush(`{gatehouse:q:${queue}}:${queue}:wait`, id)
          .exec();
      return (await client.waiting(queue)).own === 1;
    });
    expect((await client.depth(queue)).oldestMs).toBe(0);
  });

  it('never throws while Redis is down, counts what it missed, and continues when it is back', async () => {
    await client.enqueue(appChanged, change(1));
    link.cut();
    expect(await enqueueMany(40)).toEqual(Array.from({ length: 40 }, () => false));
    expect(await client.enqueueLater(appChanged, change(1), 10)).toBe(false);
    expect(client.missed.get(appChanged.name)).toBe(41);
    expect(await client.behindMs(queue)).toBe(0);
    await expect(client.waiting(queue)).rejects.toThrow();
    link.mend();
    await until('Redis takes jobs', () => client.enqueue(appChanged, change(9)));
    expect((await client.waiting(queue)).own).toBeGreaterThanOrEqual(2);
  });

  it('works once Redis is up if it was down at the start', async () => {
    link.cut();
    const early = new JobClient(link.url);
    expect(await early.enqueue(appChanged, change(1))).toBe(false);
    link.mend();
    await until('Redis takes jobs', () => early.enqueue(appChanged, change(1)));
    await early.close();
  });
});
