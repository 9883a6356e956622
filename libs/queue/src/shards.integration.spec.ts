import { type JobContract, messageRoute, newId } from '#libs/contracts';
import { until } from '#libs/testing';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { consumerConnection, queuePrefix } from './connection.js';
import { ConsumedQueue } from './consumed-queue.js';
import { RedisHealth } from './health/redis-health.js';
import { JobClient } from './job-client.js';
import { JobServer } from './job-server.js';
import { shardOf } from './shards.js';
import { route, ServedQueue } from './testing/served-queue.js';
import { patience, Watchdog } from './watchdog.js';

const { queue, name } = messageRoute;
const shards = 4;
const jobs = new ServedQueue();

beforeAll(() => jobs.open());
afterAll(() => jobs.close());
beforeEach(async () => {
  jobs.shards = shards;
  jobs.handOver = 0;
  await jobs.begin();
});
afterEach(() => jobs.end());

/** A project for each shard. */
const projects = Array.from({ length: shards }, (_, shard) => {
  for (;;) {
    const project_id = newId('prj');
    if (shardOf(messageRoute as JobContract, { project_id }, shards) === shard) return project_id;
  }
});
const routeIn = (shard: number, id = newId('evt')) => ({ ...route(id), project_id: projects[shard] ?? '' });

/** Keys of the queue's shards, first shard excluded. */
async function keysOfShards(): Promise<string[]> {
  const redis = new Redis(jobs.url);
  const keys = await redis.keys(`{gatehouse:q:${queue}:*`);
  redis.disconnect();
  return keys;
}

/** Has some shards of the queue refuse each look at what waits in them, as if their nodes were away. */
async function refuse(...refusing: number[]): Promise<void> {
  const redis = new Redis(jobs.url);
  for (const shard of refusing) await redis.set(`${queuePrefix(queue, shard)}:${queue}:wait`, 'not a list');
  redis.disconnect();
}

/** A handler whose jobs end when they are asked to, and the most that ran at a time. */
function held() {
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  let running = 0;
  let most = 0;
  const handle = async ({ receipt_id: id }: { receipt_id: string }): Promise<void> => {
    seen.push(id);
    most = Math.max(most, (running += 1));
    await gate.promise;
    running -= 1;
  };
  return { seen, handle, open: gate.resolve, most: () => most };
}

describe('a queue of four shards', () => {
  it('holds the jobs of each project in its shard, and reports all together', async () => {
    await jobs.enqueueAll([0, 1, 2, 3, 3].map((shard) => routeIn(shard)));
    const redis = new Redis(jobs.url);
    const lengths = [0, 1, 2, 3].map((shard) => redis.llen(`${queuePrefix(queue, shard)}:${queue}:wait`));
    // Those of one project that are added together share a job.
    expect(await Promise.all(lengths)).toEqual([1, 1, 1, 1]);
    redis.disconnect();
    await jobs.enqueueAll([{ ...routeIn(2), custody: { surplus: true } }]);
    expect(await jobs.client.waiting(queue)).toEqual({ own: 4, surplus: 1 });
    expect(await jobs.client.depth(queue)).toMatchObject({ waiting: 5, active: 0, delayed: 0 });
  });

  it.each([
    ['one busy shard', [1]],
    ['four busy shards', [0, 1, 2, 3]],
  ])('has %s use all places of a process, and no more', async (_what, busy) => {
    const { seen, handle, open, most } = held();
    await jobs.serve(handle, { concurrency: 3 });
    const sent = Array.from({ length: 8 }, (_, at) => routeIn(busy[at % busy.length] ?? 0));
    for (const payload of sent) await jobs.client.enqueue(messageRoute, payload);
    await until('as many run as may', () => seen.length === 3);
    await until('the others wait', async () => {
      const { waiting, active } = await jobs.client.depth(queue);
      return waiting === 5 && active === 3;
    });
    open();
    await jobs.untilIdle();
    expect(most()).toBe(3);
    expect(seen.toSorted()).toEqual(sent.map(({ receipt_id }) => receipt_id).toSorted());
  });

  it('has each shard take its turn while all have more than there is room for', async () => {
    const order: string[] = [];
    await jobs.serve(({ project_id }) => void order.push(project_id), { concurrency: 1 });
    for (let times = 0; times < 10; times += 1) {
      for (const shard of [0, 1, 2, 3]) await jobs.client.enqueue(messageRoute, routeIn(shard));
    }
    await jobs.untilIdle();
    expect(order).toHaveLength(40);
    expect(new Set(order.slice(0, 20)).size).toBe(4);
  });

  it('hands a job over to the consumer of its shard, within the limit of the queue', async () => {
    jobs.handOver = 2;
    const { seen, handle, open } = held();
    const server = await jobs.serve(handle, { concurrency: 4 });
    await until('all consumers wait', async () => {
      await jobs.client.enqueue(messageRoute, routeIn(seen.length));
      return jobs.client.handedOver.get(name) === 2;
    });
    await jobs.client.enqueue(messageRoute, routeIn(3));
    await until('all run', async () => (await jobs.client.depth(queue)).active === seen.length - 2);
    expect(jobs.client.handedOver.get(name)).toBe(2);
    open();
    await jobs.untilIdle();
    await server.close();
  });

  it('reports the shards that answer while others do not, and refuses once none does', async () => {
    const since = Date.now() - 60_000;
    await jobs.client.enqueue(messageRoute, routeIn(0), since);
    await jobs.enqueueAll([routeIn(1), { ...routeIn(1), custody: { surplus: true } }, routeIn(2)]);
    await refuse(2, 3);
    expect(await jobs.client.waiting(queue)).toEqual({ own: 2, surplus: 1 });
    // The surplus lane of a shard answers alone here; of a node that is away neither lane does.
    expect(await jobs.client.depth(queue)).toMatchObject({ waiting: 3 });
    expect(await jobs.client.behindMs(queue)).toBeGreaterThanOrEqual(60_000);
    await refuse(0, 1);
    await expect(jobs.client.waiting(queue)).rejects.toThrow('WRONGTYPE');
  });

  it('takes no more of a shard that is closed, and ends only when its running jobs have', async () => {
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    const health = new RedisHealth();
    const connection = consumerConnection(jobs.url, health);
    const watchdog = new Watchdog(patience, () => undefined);
    const context = { redisUrl: jobs.url, connection, health, watchdog, logger: new Logger(), due: async () => 0 };
    const share = { places: 2, surplusPlaces: 1, surplusDuty: 1 };
    const [long, other, later] = [routeIn(1), routeIn(2), routeIn(1)];
    const consumed = new ConsumedQueue(queue, share, context, {}, async (_job, { items: [item] }) => {
      seen.push(String(item?.payload['receipt_id']));
      if (seen.length === 1) await gate.promise;
    });
    consumed.open(1);
    await jobs.client.enqueue(messageRoute, long);
    await until('it runs', () => seen.includes(long.receipt_id));
    consumed.closeShard(1);
    expect(consumed.opened()).toEqual([]);
    consumed.open(2);
    await jobs.enqueueAll([other, later]);
    await until('another shard is served meanwhile', () => seen.includes(other.receipt_id));
    consumed.closeShard(2);
    let isClosed = false;
    const closed = consumed.close().then(() => (isClosed = true));
    await until('the later job waits', async () => (await jobs.client.waiting(queue)).own === 1);
    expect([isClosed, seen]).toEqual([false, [long.receipt_id, other.receipt_id]]);
    gate.resolve();
    await closed;
    watchdog.close();
    connection.disconnect();
  });

  it('retries a job in its shard', async () => {
    let attempts = 0;
    await jobs.serve(() => {
      if (attempts++ === 0) throw new Error('not yet');
    });
    await jobs.client.enqueue(messageRoute, routeIn(2));
    await until('it waits for its retry', async () => (await jobs.client.held(queue, 2)) === 1 && attempts === 1);
    await until('it has succeeded', () => attempts === 2);
    await jobs.untilIdle();
  });
});

describe('a change of the number of shards', () => {
  it('leaves nothing behind: a process with one shard finds what four had, consumes it, and stops doing so', async () => {
    const sent = [0, 1, 2, 3].map((shard) => routeIn(shard));
    await jobs.enqueueAll(sent);
    const known = new JobClient(jobs.url);
    known.watch([queue]);
    const seen: string[] = [];
    const server = await jobs.serve(({ receipt_id: id }) => void seen.push(id), {
      shards: 1,
      shardsOf: (of) => known.shardsOf(of),
    });
    await until('all are served', () => seen.length === 4, 15_000);
    expect(seen.toSorted()).toEqual(sent.map(({ receipt_id }) => receipt_id).toSorted());
    expect((await known.depth(queue)).waiting).toBe(0);
    await until('it consumes its own shard only', () => server.unwrap<unknown[]>().length === 2, 20_000);
    const later = routeIn(3);
    await jobs.client.enqueue(messageRoute, later);
    await until('what others add later is found, too', () => seen.includes(later.receipt_id), 10_000);
    await known.close();
  }, 60_000);

  it('is learned by a process that consumes none of the queue and only asks how much waits there', async () => {
    await jobs.enqueueAll([0, 1, 2, 3].map((shard) => routeIn(shard)));
    const producer = new JobClient(jobs.url);
    producer.watch([]);
    await until('it is connected', async () => (await producer.waiting(queue)).own === 1);
    await until('it knows the other shards', async () => (await producer.waiting(queue)).own === 4, 15_000);
    expect((await producer.depth(queue)).waiting).toBe(4);
    await producer.close();
  }, 30_000);

  it('runs a job that is in two shards for both, since its row decides', async () => {
    const payload = routeIn(3);
    const before = new JobClient(jobs.url);
    await until('it is connected', () => before.enqueue(messageRoute, payload));
    await jobs.client.enqueue(messageRoute, payload);
    const seen: string[] = [];
    await jobs.serve(({ receipt_id: id }) => void seen.push(id));
    await until('both are served', () => seen.length === 2);
    expect(new Set(seen)).toEqual(new Set([payload.receipt_id]));
    await before.close();
  });
});

describe('the mark of a queue', () => {
  const markOf = async (): Promise<string | null> => {
    const redis = new Redis(jobs.url);
    const most = await redis.zscore(`{gatehouse:q:${queue}}:shards`, 'most');
    redis.disconnect();
    return most;
  };

  it('is there before a job enters another shard, and is lowered by no process with fewer', async () => {
    await jobs.client.enqueue(messageRoute, routeIn(0));
    expect(await markOf()).toBeNull();
    await jobs.client.enqueue(messageRoute, routeIn(1));
    expect(await markOf()).toBe('4');
    const fewer = new JobClient(jobs.url, undefined, 2);
    await until('it is connected', () => fewer.enqueue(messageRoute, routeIn(1)));
    expect([await markOf(), fewer.shardsOf(queue)]).toEqual(['4', 4]);
    await fewer.close();
  });
});

describe('a queue of one shard', () => {
  it('has no key, mark or consumer beyond those of its own name', async () => {
    jobs.shards = 1;
    const client = new JobClient(jobs.url);
    client.watch([queue]);
    const server = new JobServer({ redisUrl: jobs.url, queues: [queue], concurrency: 2 });
    const seen: unknown[] = [];
    server.addHandler(name, async (payload: unknown) => void seen.push(payload), true);
    server.addHandler(`${name}.dead`, async () => undefined, true);
    server.listen(() => undefined);
    await until('it is connected', () => client.enqueue(messageRoute, routeIn(3)));
    await until('it is served', () => seen.length > 0);
    expect(await keysOfShards()).toEqual([]);
    const redis = new Redis(jobs.url);
    expect(await redis.keys(`{gatehouse:q:${queue}}:shards`)).toEqual([]);
    redis.disconnect();
    expect(server.unwrap<unknown[]>()).toHaveLength(2);
    await server.close();
    await client.close();
  });
});
