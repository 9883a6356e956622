import { messageRoute } from '#libs/contracts';
import { monitorRedis, until } from '#libs/testing';
import type { Redis } from 'ioredis';
import { RunLater } from './failures.js';
import { takeQuietly } from './take-script.js';
import { route, ServedQueue } from './testing/served-queue.js';

const { queue } = messageRoute;
const waits = `bzpopmin ${queue}:marker`;
const jobs = new ServedQueue();

beforeAll(() => jobs.open());
afterAll(() => jobs.close());
beforeEach(() => jobs.begin());
afterEach(() => jobs.end());

/** The commands that this database gets, with their key, those of scripts not counted, and how long reads may block. */
async function watched(): Promise<{ seen: string[]; blockedS: number[]; end: () => void }> {
  const seen: string[] = [];
  const blockedS: number[] = [];
  const own = new URL(jobs.url).pathname.slice(1) || '0';
  const { stop: end } = await monitorRedis(jobs.url, ({ database, source, words: [command = '', ...words] }) => {
    const key = command === 'evalsha' ? words[2] : words[0];
    if (source === 'lua' || database !== own) return;
    seen.push(`${command} ${key?.split(':').slice(3).join(':')}`);
    if (seen.at(-1) === waits) blockedS.push(Number(words[1]));
  });
  return { seen, blockedS, end };
}

describe('a consumer of a quiet queue', () => {
  it('takes a job, reports its end and waits for the next one: no look in vain', async () => {
    await jobs.serve(() => undefined);
    // Scripts are sent whole once.
    await jobs.client.enqueue(messageRoute, route());
    await jobs.untilIdle();
    const { seen, end } = await watched();
    const count = (what: string): number => seen.filter((each) => each === what).length;
    for (let ran = 1; ran <= 5; ran += 1) {
      await jobs.client.enqueue(messageRoute, route());
      await until('it waits again', () => count(waits) >= ran);
      await jobs.untilIdle();
    }
    // Added, taken, ended: 15, and at most one of the job before. With looks in vain it would be 25.
    expect(count(`evalsha ${queue}:wait`)).toBeLessThanOrEqual(16);
    end();
  });

  it('runs a delayed job at its time, although it did not look for it after the last job', async () => {
    const { blockedS, end } = await watched();
    const begun: string[] = [];
    let failed = 0;
    await jobs.serve(({ receipt_id: id }) => {
      begun.push(id);
      if (id === 'evt_later' && failed++ === 0) throw new RunLater(3_000, 'busy');
    });
    await jobs.client.enqueue(messageRoute, route('evt_later'));
    await until('it is delayed', async () => (await jobs.client.depth(queue)).delayed === 1);
    await jobs.client.enqueue(messageRoute, route('evt_now'));
    await jobs.untilIdle();
    expect(begun).toEqual(['evt_later', 'evt_now', 'evt_later']);
    // Before and after the other job, it waits no longer than until then; by itself it would look after 5 s.
    expect(blockedS.filter((seconds) => seconds <= 3).length).toBeGreaterThanOrEqual(2);
    end();
  });

  it('wakes another for what it leaves', async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const handle = ({ receipt_id: id }: { receipt_id: string }): Promise<void> => {
      begun.push(id);
      return gate.promise;
    };
    const first = await jobs.serve(handle, { concurrency: 1 });
    await jobs.serve(handle, { concurrency: 1 });
    await jobs.enqueueAll([route('evt_1'), route('evt_2')]);
    await until('both run', () => begun.length === 2);
    gate.resolve();
    await jobs.untilIdle();
    await first.close();
  });
});

it('does not start with a script of BullMQ that it does not know', () => {
  const connection = { defineCommand: (): void => undefined } as Pick<Redis, 'defineCommand'>;
  takeQuietly(connection);
  const other = { numberOfKeys: 11, lua: 'return nil' };
  expect(() => connection.defineCommand('moveToActive:7.0.0', other)).toThrow('BullMQ no longer takes a job by');
  expect(() => connection.defineCommand('addLog:7.0.0', other)).not.toThrow();
});
