import { messageKey, routeKey } from '#libs/contracts';
import { until } from '#libs/testing';
import { Redis } from 'ioredis';
import type { EventDetail, InstalledApp } from './api.js';
import { type FakeAdapter, openFakeAdapter } from './fake-adapter.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

const prefix = '{gatehouse:q:route}:route:';

describe('the job after the parse', () => {
  let system: System;
  const adapters: FakeAdapter[] = [];
  let redis: Redis;
  let app: InstalledApp;
  let other: InstalledApp;
  let posted = 0;

  beforeAll(async () => {
    system = await startSystem({ RECEIPT_LEASE_MS: '2000', SWEEP_EVERY_MS: '1000', SWEEP_AFTER_MS: '2000' });
    redis = new Redis(system.redisUrl);
    [app, other] = [await install('keyed'), await install('keyed-too')];
  });
  afterAll(async () => {
    redis?.disconnect();
    await system?.stop();
    await Promise.all(adapters.map((each) => each.close()));
  });

  const hello = { event_type: 'message_received', sender: 'ada', message: 'hello', is_bot: false };
  const parsed = (body: string): string => {
    const { keys } = JSON.parse(body) as { keys: string[] };
    const messages = keys.map((dedup_key) => ({ ...hello, message: `This is ${dedup_key}.`, dedup_key }));
    const [only] = messages;
    return JSON.stringify(messages.length === 1 ? only : { ...hello, event_type: 'batch', metadata: { messages } });
  };
  const install = async (name: string): Promise<InstalledApp> => {
    const adapter = await openFakeAdapter(name, { verification: 'none' });
    adapters.push(adapter);
    adapter.parsed = parsed;
    const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
    const made = await system.api<InstalledApp>('POST', '/api/v1/apps', { name, kind: 'adapter', adapter_id });
    await system.api('PUT', `/api/v1/channels/${made.id}`, { unknown_senders: 'open' });
    return made;
  };
  const jobIds = async (): Promise<string[]> => {
    const hashes = await redis.keys(`${prefix}*`);
    const ids = hashes.map((key) => key.slice(prefix.length));
    return ids.filter((id) => /^[0-9a-f]{8}-/.test(id) && !id.includes(':'));
  };
  /** Posts a delivery with messages of these keys, and waits until its job waits for the router. */
  const deliver = async (to: InstalledApp, ...keys: string[]): Promise<{ event: string; job: string }> => {
    const before = await jobIds();
    const event = await until('it is acknowledged', async () => {
      const { id, status } = await post(to.webhook_url, { keys, posted: (posted += 1) });
      return status === 200 && id;
    });
    const [job] = await until(`a job waits for ${keys.join()}`, async () => {
      const added = (await jobIds()).filter((id) => !before.includes(id));
      return added.length > 0 && added;
    });
    return { event, job: job ?? '' };
  };
  const withoutRouter = async <T>(work: () => Promise<T>): Promise<T> => {
    await system.kill('router');
    try {
      return await work();
    } finally {
      await system.restart('router');
    }
  };
  const ends = (...given: { event: string }[]): Promise<EventDetail[]> =>
    Promise.all(given.map(({ event }) => system.ended(event)));
  const outcomes = (events: EventDetail[]): (string | null)[] => events.map(({ outcome }) => outcome).toSorted();
  const textsOf = (events: EventDetail[]): string[] =>
    events.flatMap(({ messages }) => messages.map(({ message }) => message.message)).toSorted();
  const namesOther = (events: EventDetail[]): void => {
    const duplicate = events.find(({ outcome }) => outcome === 'duplicate');
    const routed = events.find(({ outcome }) => outcome === 'routed');
    const { reason } = duplicate?.timeline.find(({ outcome }) => outcome === 'duplicate') ?? {};
    expect(reason).toBe(`of ${routed?.id}`);
  };

  it('is known by App and dedup key; what comes again while it waits ends as its duplicate', async () => {
    const long = `invoice:${'7'.repeat(500)}/ä`;
    const [first, repeated, elsewhere] = await withoutRouter(async () => [
      await deliver(app, long),
      await deliver(app, long),
      await deliver(other, long),
    ]);
    expect(first.job).toBe(messageKey(app.id, long));
    expect(repeated.job).toBe(`${messageKey(app.id, long)}_${repeated.event}`);
    expect(elsewhere.job).toBe(messageKey(other.id, long));
    const pair = await ends(first, repeated);
    expect(outcomes(pair)).toEqual(['duplicate', 'routed']);
    namesOther(pair);
    expect(outcomes(await ends(elsewhere))).toEqual(['routed']);
  });

  it('carries the messages of one delivery, of which the new ones are routed where lists overlap', async () => {
    const [first, second, same] = await withoutRouter(async () => [
      await deliver(app, 'o-1', 'o-2'),
      await deliver(app, 'o-2', 'o-3'),
      await deliver(app, 'o-1', 'o-2'),
    ]);
    const keyed = (...keys: string[]) => keys.map((dedup_key) => ({ ...hello, dedup_key }));
    expect(first.job).toBe(routeKey(app.id, first.event, keyed('o-1', 'o-2')));
    expect(second.job).toBe(routeKey(app.id, second.event, keyed('o-2', 'o-3')));
    expect(same.job).toBe(`${first.job}_${same.event}`);
    const all = await ends(first, second, same);
    expect(outcomes(all)).toEqual(['duplicate', 'routed', 'routed']);
    expect(textsOf(all)).toEqual(['This is o-1.', 'This is o-2.', 'This is o-3.']);
  });

  it('may be lost before it is taken: the receipts of one key all end, and one of them is routed', async () => {
    const both = await withoutRouter(async () => {
      const sent = [await deliver(app, 'lost'), await deliver(app, 'lost')];
      // As if the gateway had died between parsing and adding.
      const keys = await redis.keys('{gatehouse:q:route}:*');
      await redis.del(keys);
      return sent;
    });
    const pair = await ends(...both);
    expect(outcomes(pair)).toEqual(['duplicate', 'routed']);
    namesOther(pair);
    expect(textsOf(pair)).toEqual(['This is lost.']);
  });
});
