import { messageRoute, outboundSent } from '#libs/contracts';
import { openLink, takeRedisDatabase, until } from '#libs/testing';
import { AsyncLocalStorage } from 'node:async_hooks';
import { JobClient } from './job-client.js';
import { JobServer } from './job-server.js';
import { route, ServedQueue } from './testing/served-queue.js';

const { name, queue } = messageRoute;
const jobs = new ServedQueue();
jobs.handOver = 2;

beforeAll(() => jobs.open());
afterAll(() => jobs.close());
beforeEach(() => jobs.begin());
afterEach(() => jobs.end());

const idle = { waiting: 0, active: 0, delayed: 0, oldestMs: 0 };

/** A handler whose jobs end when they are asked to. */
function held(): { begun: string[]; end: () => void; handle: (payload: { receipt_id: string }) => Promise<void> } {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const handle = ({ receipt_id: id }: { receipt_id: string }): Promise<void> => {
    begun.push(id);
    return gate.promise;
  };
  return { begun, end: gate.resolve, handle };
}

describe('a job whose consumer is in the same process', () => {
  it('is handed over without Redis, and counted', async () => {
    const { begun, end, handle } = held();
    await jobs.serve(handle);
    expect(await jobs.enqueueAll([route('evt_1'), route('evt_2')])).toEqual([true, true]);
    expect(begun).toEqual(['evt_1', 'evt_2']);
    expect(await jobs.client.depth(queue)).toEqual(idle);
    expect([jobs.client.handedOver.get(name), jobs.client.enqueued.get(name)]).toEqual([2, undefined]);
    end();
  });

  it('goes through the queue while no place is free, and overtakes no job that waits there', async () => {
    const gates = ['evt_1', 'evt_2', 'evt_3'].map((id) => ({ id, ...Promise.withResolvers<void>() }));
    const begun: string[] = [];
    const handle = ({ receipt_id: id }: { receipt_id: string }): Promise<void> | undefined => {
      begun.push(id);
      return gates.find((gate) => gate.id === id)?.promise;
    };
    await jobs.serve(handle, { concurrency: 3 });
    for (const { id } of gates) await jobs.client.enqueue(messageRoute, route(id));
    await until('the third one is fetched', () => begun.length === 3);
    expect(jobs.client.handedOver.get(name)).toBe(2);
    await jobs.client.enqueue(messageRoute, route('evt_4'));
    expect(await jobs.client.waiting(queue)).toEqual({ own: 1, surplus: 0 });
    for (const { resolve } of gates.slice(0, 2)) resolve();
    await jobs.client.enqueue(messageRoute, route('evt_5'));
    await until('the last has run', () => begun.length === 5);
    expect(begun).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5']);
    gates[2]!.resolve();
    await jobs.untilIdle();
    const next = async (): Promise<boolean> => {
      await jobs.client.enqueue(messageRoute, route());
      return jobs.client.handedOver.get(name) === 3;
    };
    await until('jobs are handed over again', next);
  });

  it('goes through the queue when as many as may are handed over, although places are free', async () => {
    const { begun, end, handle } = held();
    await jobs.serve(handle, { handOver: 1, concurrency: 3 });
    for (const id of ['evt_1', 'evt_2']) await jobs.client.enqueue(messageRoute, route(id));
    await until('both run', () => begun.length === 2);
    expect(jobs.client.handedOver.get(name)).toBe(1);
    end();
    await jobs.untilIdle();
  });

  it('waits in the lane of surplus if it is surplus', async () => {
    const { begun, end, handle } = held();
    await jobs.serve(handle);
    await jobs.enqueueAll([{ ...route('evt_1'), custody: { surplus: true } }, route('evt_2')]);
    await until('both run', () => begun.length === 2);
    expect([jobs.client.handedOver.get(name), jobs.client.enqueued.get(name)]).toEqual([1, 1]);
    end();
    await jobs.untilIdle();
  });

  it('is retried through the queue, with its attempts', async () => {
    const attempts: number[] = [];
    await jobs.serve((_payload, context) => {
      attempts.push(context.attempt);
      if (attempts.length === 1) throw new Error('not yet');
    });
    await jobs.client.enqueue(messageRoute, route());
    expect(attempts).toEqual([1]);
    await until('it waits for its retry', async () => (await jobs.client.depth(queue)).delayed === 1);
    await until('it has succeeded', () => attempts.length === 2);
    expect(attempts).toEqual([1, 2]);
  });

  it('is known to its handler as it would be through Redis, which cannot change what the producer holds', async () => {
    const seen: unknown[] = [];
    await jobs.serve((payload) => {
      seen.push({ ...payload });
      payload.messages?.splice(0);
    });
    const payload = { ...route('evt_1'), messages: [{ text: undefined, at: new Date(0) }] } as never;
    await jobs.client.enqueue(messageRoute, payload);
    expect(seen).toEqual([{ ...route('evt_1'), received_at: expect.any(String), messages: [] }]);
    expect(payload).toMatchObject({ messages: [{ at: new Date(0) }] });
  });

  it('runs in the context in which its consumer was started, not in that of its producer', async () => {
    const service = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    await service.run('router', () => jobs.serve(() => void seen.push(service.getStore())));
    await service.run('gateway', () => jobs.client.enqueue(messageRoute, route()));
    expect(jobs.client.handedOver.get(name)).toBe(1);
    expect(seen).toEqual(['router']);
  });

  it('is taken while Redis is down', async () => {
    const link = await openLink(jobs.url);
    const { begun, end, handle } = held();
    const server = await jobs.serve(handle, { redisUrl: link.url });
    const client = new JobClient(link.url);
    link.cut();
    expect(await client.enqueue(messageRoute, route('evt_1'))).toBe(true);
    expect(begun).toEqual(['evt_1']);
    end();
    // A consumer that never reached Redis cannot end before it has.
    link.mend();
    await Promise.all([server.close(), client.close()]);
    await link.close();
  });

  it('is finished by a server that stops, which takes no other one', async () => {
    const { begun, end, handle } = held();
    const server = await jobs.serve(handle);
    await jobs.client.enqueue(messageRoute, route('evt_1'));
    let hasEnded = false;
    const closed = server.close().then(() => (hasEnded = true));
    await jobs.client.enqueue(messageRoute, route('evt_2'));
    expect([hasEnded, jobs.client.enqueued.get(name)]).toEqual([false, 1]);
    end();
    await closed;
    expect(await jobs.client.waiting(queue)).toMatchObject({ own: 1 });
    expect(begun).toEqual(['evt_1']);
  });

  it('goes through Redis if no sweep would find it again', async () => {
    const begun: unknown[] = [];
    const server = new JobServer({ redisUrl: jobs.url, queues: [outboundSent.queue], concurrency: 2 });
    server.addHandler(outboundSent.name, async (payload: unknown) => void begun.push(payload), true);
    server.addHandler(`${outboundSent.name}.dead`, async () => undefined, true);
    server.listen(() => undefined);
    const sent = { delivery_id: 'dlv_1', app_id: 'app_1', sender: null, message_ids: [], text_hash: null };
    await jobs.client.enqueue(outboundSent, sent);
    await until('it is done', () => begun.length === 1);
    expect(jobs.client.enqueued.get(outboundSent.name)).toBe(1);
    await server.close();
  });

  it('is left to the consumers of its own Redis', async () => {
    const other = await takeRedisDatabase();
    const begun: string[] = [];
    await jobs.serve(({ receipt_id: id }) => void begun.push(id));
    const client = new JobClient(other.url);
    const added = async (): Promise<boolean> => client.enqueue(messageRoute, route('evt_1'));
    await until('the other Redis takes it', added);
    expect([await client.waiting(queue), begun]).toEqual([{ own: 1, surplus: 0 }, []]);
    await client.close();
    await other.release();
  });
});
