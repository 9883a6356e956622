import { messageRoute } from '#libs/contracts';
import { openLink, until } from '#libs/testing';
import type { Worker } from 'bullmq';
import { RedisHealth } from './health/redis-health.js';
import { ServedQueue, route } from './testing/served-queue.js';

const { queue } = messageRoute;
const patience = { lookMs: 50, looks: 3, lives: 100 };
const jobs = new ServedQueue();

beforeAll(() => jobs.open());
afterAll(() => jobs.close());
beforeEach(() => jobs.begin());
afterEach(() => jobs.end());

describe('a consumer that takes nothing although jobs are due', () => {
  it('is made anew when its loop has ended, and what it had begun ends once', async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const ended: string[] = [];
    const handle = async ({ receipt_id: id }: { receipt_id: string }): Promise<void> => {
      begun.push(id);
      if (id === 'evt_held') await gate.promise;
      ended.push(id);
    };
    const server = await jobs.serve(handle, { patience });
    await jobs.client.enqueue(messageRoute, route('evt_held'));
    await until('one runs', () => begun.length === 1);
    await server
      .unwrap<Worker[]>()
      .find(({ name }) => name === queue)!
      .pause(true);
    await jobs.enqueueAll([route('evt_1'), route('evt_2')]);
    await until('the others are served', () => ended.length === 2);
    expect(server.renewed.get(queue)).toBe(1);
    gate.resolve();
    await jobs.untilIdle();
    expect(begun.toSorted()).toEqual(['evt_1', 'evt_2', 'evt_held']);
  });

  it('is left alone while Redis is known to refuse its work', async () => {
    const health = new RedisHealth();
    const served: string[] = [];
    const server = await jobs.serve(({ receipt_id: id }) => void served.push(id), { patience, health });
    await server
      .unwrap<Worker[]>()
      .find(({ name }) => name === queue)!
      .pause(true);
    health.note(new Error("READONLY You can't write against a read only replica."));
    await jobs.client.enqueue(messageRoute, route('evt_1'));
    let asked = 0;
    const state = health.state.bind(health);
    health.state = () => {
      asked += 1;
      return state();
    };
    await until('it was looked at often enough', () => asked > 4 * patience.looks);
    expect([server.renewed.get(queue), served]).toEqual([undefined, []]);
    health.noteAnswer();
    await until('it is served by a new one', () => served.length === 1);
  });

  it('is made anew when its connections lead nowhere', async () => {
    const link = await openLink(jobs.url);
    try {
      const served: string[] = [];
      const server = await jobs.serve(({ receipt_id: id }) => void served.push(id), { patience, redisUrl: link.url });
      await jobs.client.enqueue(messageRoute, route('evt_before'));
      await until('one is served', () => served.length === 1);
      link.hold();
      await jobs.client.enqueue(messageRoute, route('evt_after'));
      // By the server's own look at the queue, long before the connections themselves are given up.
      await until('the next one is served', () => served.includes('evt_after'), 11_000);
      expect(server.renewed.get(queue)).toBeGreaterThan(0);
    } finally {
      await link.close();
    }
  }, 30_000);
});
