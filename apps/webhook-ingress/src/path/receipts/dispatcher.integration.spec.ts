import { inboundParse } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { JobClient } from '#libs/queue';
import { noLimits } from '#libs/project-limits';
import { until } from '#libs/testing';
import { Redis } from 'ioredis';
import { type ParseConsumer, parseConsumer } from '../../testing/parse-consumer.js';
import { noHolds, receipt, receiptsWorld, type ReceiptsWorld } from '../../testing/receipts-world.js';
import { Dispatcher } from './dispatcher.js';
import { PublicAddress } from './receipt-job.js';
import type { Receipt } from './receipt.repository.js';
import type { ReceiptWriter } from './receipt-writer.js';

let world: ReceiptsWorld;
let writer: ReceiptWriter;
let dispatcher: Dispatcher;
let consumer: ParseConsumer | undefined;

beforeAll(async () => {
  world = await receiptsWorld();
  writer = world.writer();
});
afterAll(() => world.close());
beforeEach(async () => {
  dispatcher = dispatcherWith(5, 1_000);
  await until('Redis is up', async () => (await world.jobs.waiting(inboundParse.queue)).own === 0);
});
afterEach(async () => {
  dispatcher.onApplicationShutdown();
  await consumer?.close();
  consumer = undefined;
});

/** Messages per second of a project. */
const rates = new Map<string, number>();
const limits = {
  of: (projectId: string) => ({ ...noLimits, messages_per_second: rates.get(projectId) ?? null }),
};
const dispatcherWith = (maxWaitingJobs: number, projectAdvance: number, jobs = world.jobs): Dispatcher => {
  const settings = {
    INLINE_LIMIT_BYTES: 1_024,
    MESSAGE_MAX_DEPTH: 100,
    FILTER_REQUEST_BYTES: 8_192,
    DIRECT_PARSES_PER_SECOND: 0,
    MAX_WAITING_JOBS: maxWaitingJobs,
    PROJECT_ADVANCE: projectAdvance,
    PROJECT_MESSAGES_PER_SECOND: 0,
    PROJECT_MAX_WAITING: 60,
  };
  return new Dispatcher(
    jobs,
    world.receipts,
    settings,
    new PublicAddress({ PUBLIC_URL: 'https://gatehouse.example' }),
    limits,
    world.journal,
    noHolds,
  );
};
const written = async (count: number, projectId: string): Promise<Receipt[]> => {
  const all = Array.from({ length: count }, () => receipt({ projectId }));
  await Promise.all(all.map((one) => writer.write(one, null)));
  return all;
};
const receive = async (count: number, projectId = 'prj_1'): Promise<Receipt[]> => {
  const all = await written(count, projectId);
  for (const one of all) dispatcher.offer(one);
  return all;
};

describe('the dispatcher', () => {
  it('stops at the queue length that it was given, and adds the rest in order as the queue drains', async () => {
    const all = await receive(200);
    expect(dispatcher.room).toBe(0);
    await until('the queue is as long as it may be', async () => {
      const { own: waiting } = await world.jobs.waiting(inboundParse.queue);
      expect(waiting).toBeLessThanOrEqual(5);
      // The first five travel in one batch, which leaves room for more batches, up to five of them.
      return waiting === 5;
    });
    expect(dispatcher.oldestMs).toBeGreaterThan(0);
    consumer = parseConsumer(world.redisUrl);
    await until('all are parsed', () => consumer!.parsed.length >= all.length);
    expect(consumer.parsed).toEqual(all.map(({ id }) => id));
    expect(dispatcher.oldestMs).toBe(0);
  });

  it('keeps what it has while Redis is down, and adds it when Redis is back', async () => {
    const { room } = dispatcher;
    world.redis.cut();
    // What it had room for is refused by Redis, and left to the sweep.
    const kept = (await receive(room + 20)).slice(room);
    expect(dispatcher.oldestMs).toBeGreaterThanOrEqual(0);
    consumer = parseConsumer(world.redisUrl);
    world.redis.mend();
    await until('what it kept is parsed', () => kept.every(({ id }) => consumer!.parsed.includes(id)));
    expect(kept).toHaveLength(20);
  });

  it('adds what waits as the queue drains while another shard does not answer', async () => {
    const jobs = new JobClient(world.redis.url, undefined, 2);
    const redis = new Redis(world.redisUrl);
    const ofOther = `{gatehouse:q:${inboundParse.queue}:shard:1x}:${inboundParse.queue}:wait`;
    await redis.set(ofOther, 'not a list');
    await until('Redis is up', async () => (await jobs.waiting(inboundParse.queue)).own === 0);
    dispatcher = dispatcherWith(5, 1_000, jobs);
    // By the hash of its name in shard 0.
    const all = await receive(200, 'prj_1');
    expect(dispatcher.room).toBe(0);
    consumer = parseConsumer(world.redisUrl);
    await until('all are parsed', () => consumer!.parsed.length >= all.length);
    expect(consumer.parsed).toEqual(all.map(({ id }) => id));
    dispatcher.onApplicationShutdown();
    await redis.del(ofOther);
    redis.disconnect();
    await jobs.close();
  });

  it('hands over what a project sends within its share before the flood of another one, however long that is', async () => {
    dispatcher = dispatcherWith(2, 10);
    const flood = await receive(400, 'prj_flood');
    const others = await receive(8, 'prj_other');
    consumer = parseConsumer(world.redisUrl);
    await until('all are parsed', () => consumer!.parsed.length >= 408);
    const surplus = consumer.jobs.filter((job) => job.custody?.surplus).map(({ receipt_id }) => receipt_id);
    expect(surplus).toEqual(flood.slice(10).map(({ id }) => id));
    const places = others.map(({ id }) => consumer!.parsed.indexOf(id));
    expect(Math.max(...places)).toBeLessThan(200);
  });

  it('lets projects that flood equally take turns, whoever began', async () => {
    dispatcher = dispatcherWith(2, 10);
    await receive(600, 'prj_first');
    const second = await receive(60, 'prj_second');
    consumer = parseConsumer(world.redisUrl);
    await until('all are parsed', () => consumer!.parsed.length >= 660);
    const places = second.map(({ id }) => consumer!.parsed.indexOf(id));
    // Two jobs' worth of the first project may be ahead; then the projects alternate.
    expect(Math.max(...places)).toBeLessThan(400);
    expect(new Set(consumer.parsed).size).toBe(660);
  });

  it('keeps a project to its limit, reports long waits, refuses more than may wait, and holds up no other project', async () => {
    rates.set('prj_limited', 1);
    dispatcher = dispatcherWith(50, 1_000);
    const limited = await written(61, 'prj_limited');
    for (const one of limited.slice(0, 60)) dispatcher.offer(one);
    expect(dispatcher.fullForS('prj_limited')).toBeNull();
    for (const one of limited.slice(60)) dispatcher.offer(one);
    expect([dispatcher.fullForS('prj_limited'), dispatcher.fullForS('prj_other')]).toEqual([1, null]);
    const others = await receive(40, 'prj_other');
    consumer = parseConsumer(world.redisUrl);
    await until('the others are parsed', () => others.every(({ id }) => consumer!.parsed.includes(id)));
    expect(dispatcher.held.messages).toBeGreaterThan(0);
    await world.journal.beforeApplicationShutdown();
    const entries = await world.query<{ receipt_id: string; detail: { advice: string } }>(
      `SELECT receipt_id, detail FROM ${everyEntry} e WHERE reason = 'project_limit' ORDER BY receipt_id`,
    );
    // One goes at once; two messages ahead take two seconds.
    expect(entries[0]).toMatchObject({ receipt_id: limited[3]!.id, detail: { ahead: 2, limit_per_second: 1 } });
    expect(entries[0]?.detail.advice).toMatch(
      /2 messages of its project are ahead, and the project.s limit is 1 a second\. Raise/,
    );
    rates.set('prj_limited', 1_000);
    await until('all are parsed', () => consumer!.parsed.length === 101);
    expect(consumer.parsed.filter((id) => limited.some((one) => one.id === id))).toEqual(limited.map(({ id }) => id));
  });

  it('reads no queue length while nobody sends much', async () => {
    let looks = 0;
    const waiting = (queue: string): ReturnType<JobClient['waiting']> => {
      looks += 1;
      return world.jobs.waiting(queue);
    };
    dispatcher = dispatcherWith(50, 100, Object.assign(Object.create(world.jobs) as JobClient, { waiting }));
    await receive(40);
    consumer = parseConsumer(world.redisUrl);
    await until('all are parsed', () => consumer!.parsed.length >= 40);
    expect(looks).toBe(0);
    await receive(40);
    await until('it reads the length', () => looks > 0);
  });
});
