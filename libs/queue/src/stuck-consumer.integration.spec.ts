import { messageRoute } from '#libs/contracts';
import { openLink, until } from '#libs/testing';
import type { Worker } from 'bullmq';
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
    const server = jobs.serve(handle, { patience });
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

  it('is made anew when its connections lead nowhere', async () => {
    const link = await openLink(jobs.url);
    try {
      const served: string[] = [];
      const server = jobs.serve(({ receipt_id: id }) => void served.push(id), { patience, redisUrl: link.url });
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
