import { inboundParse } from '#libs/contracts';
import { until } from '#libs/testing';
import { type ParseConsumer, parseConsumer } from '../testing/parse-consumer.js';
import { receipt, receiptsWorld, type ReceiptsWorld } from '../testing/receipts-under-test.js';
import { Feeder } from './feeder.js';
import { publicAddressOf } from './parse-job.js';
import type { Receipt } from './receipt.js';
import type { ReceiptWriter } from './receipt-writer.js';

let world: ReceiptsWorld;
let writer: ReceiptWriter;
let feeder: Feeder;
let consumer: ParseConsumer | undefined;

beforeAll(async () => {
  world = await receiptsWorld();
  writer = world.writer();
});
afterAll(() => world.close());
beforeEach(async () => {
  const settings = { inlineLimitBytes: 1_024, maxWaitingJobs: 5 };
  feeder = new Feeder(world.jobs, world.receipts, settings, publicAddressOf('https://gatehouse.example'));
  await until('Redis is there', async () => (await world.jobs.waiting(inboundParse.queue)) === 0);
});
afterEach(async () => {
  feeder.onApplicationShutdown();
  await consumer?.close();
  consumer = undefined;
});

const receive = async (count: number): Promise<Receipt[]> => {
  const all = Array.from({ length: count }, () => receipt());
  await Promise.all(all.map((one) => writer.write(one, null)));
  for (const one of all) feeder.offer(one);
  return all;
};

describe('the feeder', () => {
  it('stops at the length of the queue it was given, and feeds the rest in order as it drains', async () => {
    const all = await receive(200);
    expect(feeder.room).toBe(0);
    await until('the queue is as long as it may be', async () => {
      const waiting = await world.jobs.waiting(inboundParse.queue);
      expect(waiting).toBeLessThanOrEqual(5);
      // The first five travel together: there is room again for companies, up to five of them.
      return waiting === 5;
    });
    expect(feeder.oldestMs).toBeGreaterThan(0);
    consumer = parseConsumer(world.redisUrl);
    await until('all are parsed', () => consumer!.parsed.length >= all.length);
    expect(consumer.parsed).toEqual(all.map(({ id }) => id));
    expect(feeder.oldestMs).toBe(0);
  });

  it('keeps what it has while Redis is away, and feeds it when Redis is back', async () => {
    const { room } = feeder;
    world.redis.cut();
    // What it had room for is refused by Redis, and left to the sweep of receipts.
    const kept = (await receive(room + 20)).slice(room);
    expect(feeder.oldestMs).toBeGreaterThanOrEqual(0);
    consumer = parseConsumer(world.redisUrl);
    world.redis.mend();
    await until('what it kept is parsed', () => kept.every(({ id }) => consumer!.parsed.includes(id)));
    expect(kept).toHaveLength(20);
  });
});
