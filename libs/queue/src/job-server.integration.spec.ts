import { messageRoute, type MessageRoutePayload, newId } from '#libs/contracts';
import { type RedisDatabase, takeRedisDatabase, until } from '#libs/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type ChildProcess, spawn } from 'node:child_process';
import { queuePrefix } from './connection.js';
import { PermanentFailure, RunLater } from './failures.js';
import { JobClient } from './job-client.js';
import type { JobContext } from './job-context.js';
import { type DeadJob, JobServer } from './job-server.js';

type Handle = (payload: MessageRoutePayload, context: JobContext) => Promise<void> | void;

const { queue, name } = messageRoute;
let redisDatabase: RedisDatabase;
let client: JobClient;
let server: JobServer;
const dead: DeadJob<MessageRoutePayload>[] = [];

beforeAll(async () => {
  redisDatabase = await takeRedisDatabase();
});
afterAll(() => redisDatabase.release());
beforeEach(async () => {
  dead.length = 0;
  client = new JobClient(redisDatabase.url);
  await until('the client is connected', async () => (await client.waiting(queue)).own === 0);
});
afterEach(async () => {
  await server?.close();
  await client.close();
  const redis = new Redis(redisDatabase.url);
  const keys = await redis.keys('{gatehouse:*');
  if (keys.length > 0) await redis.del(keys);
  redis.disconnect();
});

function serverOf(): JobServer {
  return new JobServer({ redisUrl: redisDatabase.url, queues: [queue], concurrency: 2 });
}
function serve(handle: Handle): void {
  server = serverOf();
  server.addHandler(name, async (payload, context) => handle(payload, context as JobContext), true);
  server.addHandler(`${name}.dead`, async (job: DeadJob<MessageRoutePayload>) => void dead.push(job), true);
  server.listen(() => undefined);
}
const route = (id = newId('evt')): MessageRoutePayload => ({
  receipt_id: id,
  received_at: new Date().toISOString(),
  organization_id: 'org_1',
  project_id: 'prj_1',
  app_id: 'app_1',
  app_kind: 'adapter',
  verified_scheme: 'none',
});
const enqueueAll = (payloads: MessageRoutePayload[]): Promise<boolean[]> =>
  Promise.all(payloads.map((payload) => client.enqueue(messageRoute, payload)));
const idle = async (): Promise<boolean> => {
  const { waiting, active, delayed } = await client.depth(queue);
  return waiting + active + delayed === 0;
};

describe('a server of jobs', () => {
  it.each([
    ['no JSON', () => new SyntaxError('Unexpected token')],
    ['nested too deeply', () => new RangeError('Maximum call stack size exceeded')],
    ['unstorable text', () => Object.assign(new Error('unsupported Unicode escape sequence'), { code: '22P05' })],
    ['a number out of range', () => Object.assign(new Error('out of range for type integer'), { code: '22003' })],
    ['a key too large for its index', () => Object.assign(new Error('index row size exceeds'), { code: '54000' })],
  ])('ends a job at its first attempt for what stands in it: %s', async (_what, error) => {
    let attempts = 0;
    serve(() => {
      attempts += 1;
      throw error();
    });
    await enqueueAll([route()]);
    await until('it is dead', () => dead.length === 1);
    expect(dead[0]).toMatchObject({ code: 'not_processable', reason: String(error().message) });
    await until('nothing is left', idle);
    expect(attempts).toBe(1);
  });

  it('buries a payload that breaks its contract at once, unseen, and names the fields', async () => {
    const seen: string[] = [];
    serve((payload) => void seen.push(payload.receipt_id));
    const wrong = { ...route('evt_wrong'), app_kind: 'robot', received_at: 7 };
    const connection = new Redis(redisDatabase.url);
    const raw = new Queue(queue, { connection, prefix: queuePrefix(queue) });
    const items = [wrong, route('evt_right')].map((payload) => ({ payload, attempts: 0, addedAtMs: Date.now() }));
    await raw.add(name, { items }, { removeOnComplete: true });
    await until('both are through', () => dead.length === 1 && seen.length === 1);
    expect(seen).toEqual(['evt_right']);
    expect(dead[0]).toMatchObject({ code: 'invalid_payload', payload: wrong });
    expect(dead[0]!.reason).toMatch(/app_kind/);
    expect(dead[0]!.reason).toMatch(/received_at/);
    await raw.close();
    connection.disconnect();
  });

  it('buries a permanent failure at its first attempt', async () => {
    let calls = 0;
    serve(() => {
      calls += 1;
      throw new PermanentFailure('gone', 'the App is gone');
    });
    await client.enqueue(messageRoute, route());
    await until('it is dead', () => dead.length === 1);
    expect(calls).toBe(1);
    expect(dead[0]).toMatchObject({ code: 'gone', reason: 'the App is gone' });
    await until('nothing is left', idle);
  });

  it('sends one that failed again alone, with its own attempts, while its batch goes on', async () => {
    const seen = new Map<string, number[]>();
    const payloads = Array.from({ length: 5 }, (_, n) => route(`evt_${n}`));
    serve(({ receipt_id: id }, context) => {
      seen.set(id, [...(seen.get(id) ?? []), context.attempt]);
      if (id === 'evt_3' && context.attempt < 3) throw new Error('not yet');
    });
    await enqueueAll(payloads);
    await until('the failing one succeeds', () => seen.get('evt_3')?.length === 3);
    await until('nothing is left', idle);
    expect(Object.fromEntries(seen)).toEqual({
      evt_0: [1],
      evt_1: [1],
      evt_2: [1],
      evt_3: [1, 2, 3],
      evt_4: [1],
    });
    expect(dead).toEqual([]);
  });

  it('finishes the others of a batch, though one cannot even be dead-lettered', async () => {
    const gone = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<void>();
    const done: string[] = [];
    server = serverOf();
    server.addHandler(
      name,
      async (payload: MessageRoutePayload) => {
        if (payload.receipt_id === 'evt_bad') throw new PermanentFailure('bad', 'bad');
        await slow.promise;
        done.push(payload.receipt_id);
      },
      true,
    );
    const deadLetter = async () => {
      gone.resolve();
      throw new Error('no place for dead letters');
    };
    server.addHandler(`${name}.dead`, deadLetter, true);
    server.listen(() => undefined);
    await enqueueAll([route('evt_bad'), route('evt_good')]);
    await gone.promise;
    // The job is over when the slow one is: whoever stops the server waits for it.
    const closed = server.close();
    slow.resolve();
    await closed;
    expect(done).toEqual(['evt_good']);
  });

  it('waits before a retry: within its backoff, and not beyond', async () => {
    serve(() => {
      throw new Error('not yet');
    });
    await client.enqueue(messageRoute, route());
    await until('it waits for its retry', async () => (await client.depth(queue)).delayed === 1);
    await server.close();
    const redis = new Redis(redisDatabase.url);
    const [id] = await redis.zrange(`${queuePrefix(queue)}:${queue}:delayed`, '0', '0');
    redis.disconnect();
    const dueMs = Number(id!.split('_at_')[1]);
    expect(dueMs - Date.now()).toBeLessThanOrEqual(messageRoute.backoff.capMs);
  });

  it('runs one later that asked for it, at the cost of no attempt', async () => {
    const attempts: number[] = [];
    serve((_payload, context) => {
      attempts.push(context.attempt);
      if (attempts.length < 4) throw new RunLater(10, 'retry_after');
    });
    await client.enqueue(messageRoute, route());
    await until('it has run', () => attempts.length === 4);
    await until('nothing is left', idle);
    expect(attempts).toEqual([1, 1, 1, 1]);
  });

  it('gives one up after its last attempt, with the code of its error', async () => {
    const attempts: number[] = [];
    serve((_payload, context) => {
      attempts.push(context.attempt);
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    });
    const last = { payload: { ...route() }, attempts: messageRoute.attempts - 1, addedAtMs: Date.now() };
    await client.republish(messageRoute, last, 1);
    await until('it is dead', () => dead.length === 1);
    expect(attempts).toEqual([messageRoute.attempts]);
    expect(dead[0]).toMatchObject({ code: 'ECONNREFUSED', reason: 'refused' });
    await until('nothing is left', idle);
  });

  it('runs as many jobs at a time as it may, and no more', async () => {
    const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const begun: number[] = [];
    serve(async () => {
      const n = begun.push(begun.length) - 1;
      await ends[n]!.promise;
    });
    for (const { receipt_id } of ends.map(() => route())) await client.enqueue(messageRoute, route(receipt_id));
    await until('two of them run', () => begun.length === 2);
    await until('the others wait', async () => (await client.waiting(queue)).own === 2);
    ends[0]!.resolve();
    await until('a third one runs', () => begun.length === 3);
    expect((await client.waiting(queue)).own).toBe(1);
    for (const end of ends) end.resolve();
    await until('nothing is left', idle);
    expect(begun).toHaveLength(4);
  });

  it('runs what its jobs wait for, though as many wait as may run', async () => {
    const [awaited, begun] = [Promise.withResolvers<void>(), new Set<string>()];
    serve(async ({ receipt_id: id }, context) => {
      begun.add(id);
      if (id === 'evt_last') awaited.resolve();
      else await context.waiting(awaited.promise);
    });
    for (const id of ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_last']) await client.enqueue(messageRoute, route(id));
    await until('nothing is left', idle);
    expect(begun.size).toBe(5);
  });

  it('does not start without a handler for each job and its dead, with two, or with one too many', () => {
    const handler = async (): Promise<void> => undefined;
    const bare = serverOf();
    expect(() => bare.listen(() => undefined)).toThrow(`No handler for the job ${name}`);
    bare.addHandler(name, handler, true);
    expect(() => bare.listen(() => undefined)).toThrow(`No handler for the job ${name}.dead`);
    bare.addHandler(`${name}.dead`, handler, true);
    bare.addHandler('turn.run', handler, true);
    expect(() => bare.listen(() => undefined)).toThrow('A handler for turn.run');
    const double = serverOf();
    for (const pattern of [name, name, `${name}.dead`]) double.addHandler(pattern, handler, true);
    expect(() => double.listen(() => undefined)).toThrow(`Two handlers for the job ${name}`);
    return Promise.all([bare.close(), double.close()]);
  });

  it('finishes what it holds when it stops, and takes nothing more', async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const ended: string[] = [];
    serve(async ({ receipt_id: id }) => {
      begun.push(id);
      await gate.promise;
      ended.push(id);
    });
    for (const id of ['evt_a', 'evt_b']) await client.enqueue(messageRoute, route(id));
    await until('both run', () => begun.length === 2);
    const closed = server.close();
    await client.enqueue(messageRoute, route('evt_c'));
    gate.resolve();
    await closed;
    expect(ended.toSorted()).toEqual(['evt_a', 'evt_b']);
    expect(begun).toHaveLength(2);
    expect(await client.depth(queue)).toMatchObject({ waiting: 1, active: 0 });
  });

  it('takes again what a killed process held', async () => {
    await enqueueAll([route('evt_a'), route('evt_b')]);
    const holder = holdJob(redisDatabase.url);
    await until('the other process holds it', async () => (await client.depth(queue)).active === 1);
    holder.kill('SIGKILL');
    const seen: string[] = [];
    serve(({ receipt_id: id }) => void seen.push(id));
    await until('both are served', () => seen.length === 2);
    await until('nothing is left', idle);
    expect(seen.toSorted()).toEqual(['evt_a', 'evt_b']);
  });

  it('handles what is no surplus while surplus holds all consumers of its own', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const handled: string[] = [];
    serve(async ({ receipt_id, surplus }) => {
      if (surplus) await held;
      handled.push(receipt_id);
    });
    const surplus = Array.from({ length: 40 }, () => ({ ...route(), surplus: true as const }));
    await enqueueAll(surplus);
    await until('surplus holds its consumers', async () => (await client.depth(queue)).active === 2);
    const own = Array.from({ length: 5 }, () => route());
    await enqueueAll([...own, { ...route(), surplus: true }]);
    await until('the others are handled', () => handled.length === 5);
    expect(handled.toSorted()).toEqual(own.map(({ receipt_id }) => receipt_id).toSorted());
    release();
    await until('all are handled', () => handled.length === 46);
  });

  it('tries surplus again as surplus', async () => {
    serve(() => {
      throw new RunLater(600_000, 'later');
    });
    await enqueueAll([{ ...route(), surplus: true }]);
    await until('it waits', async () => (await client.depth(queue)).delayed === 1);
    const lane = new Queue(`${queue}-surplus`, {
      connection: { url: redisDatabase.url },
      prefix: queuePrefix(queue),
    });
    expect(await lane.getDelayedCount()).toBe(1);
    await lane.close();
  });
});

/** Another process that takes a job and never ends it, under the lock that a server has. */
function holdJob(redisUrl: string): ChildProcess {
  const script = `
    const { Worker } = require('bullmq');
    const { Redis } = require('ioredis');
    const connection = new Redis(${JSON.stringify(redisUrl)}, { maxRetriesPerRequest: null });
    new Worker(${JSON.stringify(queue)}, () => new Promise(() => undefined),
      { connection, prefix: ${JSON.stringify(queuePrefix(queue))}, lockDuration: 15_000, stalledInterval: 5_000 });`;
  return spawn(process.execPath, ['-e', script], { stdio: 'inherit' });
}
