import { messageRoute, type MessageRoutePayload } from '#libs/contracts';
import { until } from '#libs/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { queuePrefix } from './connection.js';
import { PermanentFailure, RunLater } from './failures.js';
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
])('a job that fails, %s', (_way, handOver) => {
  beforeEach(() => {
    jobs.handOver = handOver;
  });

  it.each([
    ['no JSON', () => new SyntaxError('Unexpected token')],
    ['nested too deeply', () => new RangeError('Maximum call stack size exceeded')],
    ['unstorable text', () => Object.assign(new Error('unsupported Unicode escape sequence'), { code: '22P05' })],
    ['a number out of range', () => Object.assign(new Error('out of range for type integer'), { code: '22003' })],
    ['a key too large for its index', () => Object.assign(new Error('index row size exceeds'), { code: '54000' })],
  ])('ends at its first attempt if its content is the cause: %s', async (_what, error) => {
    let attempts = 0;
    await jobs.serve(() => {
      attempts += 1;
      throw error();
    });
    await jobs.enqueueAll([route()]);
    await until('it is dead', () => jobs.dead.length === 1);
    expect(jobs.dead[0]).toMatchObject({ code: 'not_processable', reason: String(error().message) });
    await jobs.untilIdle();
    expect(attempts).toBe(1);
  });

  it('is dead-lettered at once, unseen, if its payload breaks the contract, and the fields are named', async () => {
    const seen: string[] = [];
    await jobs.serve((payload) => void seen.push(payload.receipt_id));
    const wrong = { ...route('evt_wrong'), app_kind: 'robot', received_at: 7 };
    const connection = new Redis(jobs.url);
    const raw = new Queue(queue, { connection, prefix: queuePrefix(queue) });
    const items = [wrong, route('evt_right')].map((payload) => ({ payload, attempts: 0, addedAtMs: Date.now() }));
    await raw.add(name, { items }, { removeOnComplete: true });
    await until('both are done', () => jobs.dead.length === 1 && seen.length === 1);
    expect(seen).toEqual(['evt_right']);
    expect(jobs.dead[0]).toMatchObject({ code: 'invalid_payload', payload: wrong });
    expect(jobs.dead[0]!.reason).toMatch(/app_kind/);
    expect(jobs.dead[0]!.reason).toMatch(/received_at/);
    await raw.close();
    connection.disconnect();
  });

  it('is dead-lettered at its first attempt on a permanent failure', async () => {
    let calls = 0;
    await jobs.serve(() => {
      calls += 1;
      throw new PermanentFailure('gone', 'the App is gone');
    });
    await jobs.client.enqueue(messageRoute, route());
    await until('it is dead', () => jobs.dead.length === 1);
    expect(calls).toBe(1);
    expect(jobs.dead[0]).toMatchObject({ code: 'gone', reason: 'the App is gone' });
    await jobs.untilIdle();
  });

  it('is retried alone, with its own attempts, while its batch continues', async () => {
    const seen = new Map<string, number[]>();
    const payloads = Array.from({ length: 5 }, (_, n) => route(`evt_${n}`));
    await jobs.serve(({ receipt_id: id }, context) => {
      seen.set(id, [...(seen.get(id) ?? []), context.attempt]);
      if (id === 'evt_3' && context.attempt < 3) throw new Error('not yet');
    });
    await jobs.enqueueAll(payloads);
    await until('the failing one succeeds', () => seen.get('evt_3')?.length === 3);
    await jobs.untilIdle();
    expect(Object.fromEntries(seen)).toEqual({
      evt_0: [1],
      evt_1: [1],
      evt_2: [1],
      evt_3: [1, 2, 3],
      evt_4: [1],
    });
    expect(jobs.dead).toEqual([]);
  });

  it('does not keep the others of its batch from finishing, even if it cannot be dead-lettered', async () => {
    const gone = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<void>();
    const done: string[] = [];
    const server = jobs.make();
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
    await jobs.enqueueAll([route('evt_bad'), route('evt_good')]);
    await gone.promise;
    // The job ends when its slow item does: closing the server waits for it.
    const closed = server.close();
    slow.resolve();
    await closed;
    expect(done).toEqual(['evt_good']);
  });

  it('waits before a retry: within its backoff, and not beyond', async () => {
    const server = await jobs.serve(() => {
      throw new Error('not yet');
    });
    await jobs.client.enqueue(messageRoute, route());
    const redis = new Redis(jobs.url);
    // Its first wait may be over before anybody looks.
    const id = await until('it waits for its retry', async () => {
      const [waiting] = await redis.zrange(`${queuePrefix(queue)}:${queue}:delayed`, '0', '0');
      return waiting ?? null;
    });
    await server.close();
    redis.disconnect();
    const dueMs = Number(id.split('_at_')[1]);
    expect(dueMs - Date.now()).toBeLessThanOrEqual(messageRoute.backoff.capMs);
  });

  it('is tried until Postgres is back, at the cost of no attempt, and takes the place of no other meanwhile', async () => {
    const attempts: number[] = [];
    let awayUntilMs = Number.POSITIVE_INFINITY;
    await jobs.serve((_payload, context) => {
      attempts.push(context.attempt);
      if (performance.now() < awayUntilMs) throw Object.assign(new Error('shutting down'), { code: '57P01' });
    });
    await jobs.client.enqueue(messageRoute, route());
    await until('it is sent again', async () => (await jobs.client.depth(queue)).delayed === 1);
    const inPlace = attempts.length;
    expect(inPlace).toBeGreaterThan(5);
    awayUntilMs = performance.now() + 1_500;
    await until('it is done', async () => attempts.length > inPlace);
    await jobs.untilIdle();
    expect(new Set(attempts)).toEqual(new Set([1]));
    expect(jobs.dead).toEqual([]);
  });

  it('is counted when Postgres works for others: it may be the job that breaks its connection', async () => {
    const attempts: number[] = [];
    let others = 0;
    await jobs.serve(({ receipt_id: id }, context) => {
      if (id !== 'evt_breaks') return void (others += 1);
      attempts.push(context.attempt);
      throw new Error('Connection terminated unexpectedly');
    });
    await jobs.client.enqueue(messageRoute, route());
    await until('Postgres has worked for another job', () => others === 1);
    await jobs.client.enqueue(messageRoute, route('evt_breaks'));
    await until('it is tried once more', () => attempts.includes(2));
    expect(attempts.filter((attempt) => attempt === 1).length).toBeGreaterThan(3);
  });

  it('runs later when it asks for that, at the cost of no attempt', async () => {
    const attempts: number[] = [];
    await jobs.serve((_payload, context) => {
      attempts.push(context.attempt);
      if (attempts.length < 4) throw new RunLater(10, 'retry_after');
    });
    await jobs.client.enqueue(messageRoute, route());
    await until('it has run', () => attempts.length === 4);
    await jobs.untilIdle();
    expect(attempts).toEqual([1, 1, 1, 1]);
  });

  it('is given up after its last attempt, with the code of its error', async () => {
    const attempts: number[] = [];
    await jobs.serve((_payload, context) => {
      attempts.push(context.attempt);
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    });
    const last = { payload: { ...route() }, attempts: messageRoute.attempts - 1, addedAtMs: Date.now() };
    await jobs.client.republish(messageRoute, last, 1);
    await until('it is dead', () => jobs.dead.length === 1);
    expect(attempts).toEqual([messageRoute.attempts]);
    expect(jobs.dead[0]).toMatchObject({ code: 'ECONNREFUSED', reason: 'refused' });
    await jobs.untilIdle();
  });
});
