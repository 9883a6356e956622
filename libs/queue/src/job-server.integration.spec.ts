import { messageRoute } from '#libs/contracts';
import { until } from '#libs/testing';
import { Queue } from 'bullmq';
import { type ChildProcess, spawn } from 'node:child_process';
import { queuePrefix } from './connection.js';
import { RunLater } from './failures.js';
import { route, ServedQueue } from './testing/served-queue.js';

const { queue, name } = messageRoute;
const jobs = new ServedQueue();

beforeAll(() => jobs.open());
afterAll(() => jobs.close());
beforeEach(() => jobs.begin());
afterEach(() => jobs.end());

describe.each([
  ['through the queue', 0],
  ['handed over', 2],
])('a job server, %s', (_way, handOver) => {
  beforeEach(() => {
    jobs.handOver = handOver;
  });

  it('runs as many jobs at a time as it may, and no more', async () => {
    const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const begun: number[] = [];
    await jobs.serve(async () => {
      const n = begun.push(begun.length) - 1;
      await ends[n]!.promise;
    });
    for (const { receipt_id } of ends.map(() => route())) await jobs.client.enqueue(messageRoute, route(receipt_id));
    await until('two of them run', () => begun.length === 2);
    await until('the others wait', async () => (await jobs.client.waiting(queue)).own === 2);
    ends[0]!.resolve();
    await until('a third one runs', () => begun.length === 3);
    expect((await jobs.client.waiting(queue)).own).toBe(1);
    for (const end of ends) end.resolve();
    await jobs.untilIdle();
    expect(begun).toHaveLength(4);
  });

  it('runs the job that others wait for, even if as many wait as may run', async () => {
    const [awaited, begun] = [Promise.withResolvers<void>(), new Set<string>()];
    await jobs.serve(async ({ receipt_id: id }, context) => {
      begun.add(id);
      if (id === 'evt_last') awaited.resolve();
      else await context.waiting(awaited.promise);
    });
    for (const id of ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_last'])
      await jobs.client.enqueue(messageRoute, route(id));
    await jobs.untilIdle();
    expect(begun.size).toBe(5);
  });

  it('does not start without a handler for each job and its dead letters, with two, or with one too many', () => {
    const handler = async (): Promise<void> => undefined;
    const bare = jobs.make();
    expect(() => bare.listen(() => undefined)).toThrow(`No handler for the job ${name}`);
    bare.addHandler(name, handler, true);
    expect(() => bare.listen(() => undefined)).toThrow(`No handler for the job ${name}.dead`);
    bare.addHandler(`${name}.dead`, handler, true);
    bare.addHandler('turn.run', handler, true);
    expect(() => bare.listen(() => undefined)).toThrow('A handler for turn.run');
    const double = jobs.make();
    for (const pattern of [name, name, `${name}.dead`]) double.addHandler(pattern, handler, true);
    expect(() => double.listen(() => undefined)).toThrow(`Two handlers for the job ${name}`);
    return Promise.all([bare.close(), double.close()]);
  });

  it('finishes what it holds when it stops, and takes nothing more', async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const ended: string[] = [];
    const server = await jobs.serve(async ({ receipt_id: id }) => {
      begun.push(id);
      await gate.promise;
      ended.push(id);
    });
    for (const id of ['evt_a', 'evt_b']) await jobs.client.enqueue(messageRoute, route(id));
    await until('both run', () => begun.length === 2);
    const closed = server.close();
    await jobs.client.enqueue(messageRoute, route('evt_c'));
    gate.resolve();
    await closed;
    expect(ended.toSorted()).toEqual(['evt_a', 'evt_b']);
    expect(begun).toHaveLength(2);
    expect(await jobs.client.depth(queue)).toMatchObject({ waiting: 1, active: 0 });
  });

  it('retries the jobs of a killed process', async () => {
    await jobs.enqueueAll([route('evt_a'), route('evt_b')]);
    const holder = holdJob(jobs.url);
    await until('the other process holds it', async () => (await jobs.client.depth(queue)).active === 1);
    holder.kill('SIGKILL');
    const seen: string[] = [];
    await jobs.serve(({ receipt_id: id }) => void seen.push(id));
    await until('both are served', () => seen.length === 2);
    await jobs.untilIdle();
    expect(seen.toSorted()).toEqual(['evt_a', 'evt_b']);
  });

  it('handles other jobs while surplus holds all of its own consumers', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const handled: string[] = [];
    await jobs.serve(async ({ receipt_id, custody }) => {
      if (custody?.surplus) await held;
      handled.push(receipt_id);
    });
    const surplus = Array.from({ length: 40 }, () => ({ ...route(), custody: { surplus: true as const } }));
    await jobs.enqueueAll(surplus);
    await until('surplus holds its consumers', async () => (await jobs.client.depth(queue)).active === 2);
    const own = Array.from({ length: 5 }, () => route());
    await jobs.enqueueAll([...own, { ...route(), custody: { surplus: true } }]);
    await until('the others are handled', () => handled.length === 5);
    expect(handled.toSorted()).toEqual(own.map(({ receipt_id }) => receipt_id).toSorted());
    release();
    await until('all are handled', () => handled.length === 46);
  });

  it('rests between surplus jobs while others come', async () => {
    const [first, second, own] = [route(), route(), { ...route(), project_id: 'prj_2' }];
    let endedMs = 0;
    let nextMs = 0;
    const isHandled = Promise.withResolvers<void>();
    await jobs.serve(
      async ({ receipt_id: id }) => {
        if (id === own.receipt_id) isHandled.resolve();
        if (id === second.receipt_id) nextMs = performance.now();
        if (id !== first.receipt_id) return;
        await jobs.enqueueAll([{ ...second, custody: { surplus: true } }, own]);
        await isHandled.promise;
        endedMs = performance.now();
      },
      { surplusDuty: 0.001, surplusConcurrency: 1 },
    );
    await jobs.enqueueAll([{ ...first, custody: { surplus: true } }]);
    await until('the second is handled', () => nextMs > 0);
    // A timer may be a millisecond early by another clock.
    expect(nextMs - endedMs).toBeGreaterThanOrEqual(98);
  });

  it('retries surplus as surplus', async () => {
    await jobs.serve(() => {
      throw new RunLater(600_000, 'later');
    });
    await jobs.enqueueAll([{ ...route(), custody: { surplus: true } }]);
    await until('it waits', async () => (await jobs.client.depth(queue)).delayed === 1);
    const lane = new Queue(`${queue}-surplus`, {
      connection: { url: jobs.url },
      prefix: queuePrefix(queue),
    });
    expect(await lane.getDelayedCount()).toBe(1);
    await lane.close();
  });
});

/** Another process that takes a job and never ends it, under a lock like a server's. */
function holdJob(redisUrl: string): ChildProcess {
  const script = `
    const { Worker } = require('bullmq');
    const { Redis } = require('ioredis');
    const connection = new Redis(${JSON.stringify(redisUrl)}, { maxRetriesPerRequest: null });
    new Worker(${JSON.stringify(queue)}, () => new Promise(() => undefined),
      { connection, prefix: ${JSON.stringify(queuePrefix(queue))}, lockDuration: 15_000, stalledInterval: 5_000 });`;
  return spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
}
