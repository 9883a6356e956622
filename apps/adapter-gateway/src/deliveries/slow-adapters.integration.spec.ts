import { deliverySend, newId } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { testRedisUrl, until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { gatewayWorld, type GatewayWorld, home } from '../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../testing/http-server.js';
import { type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';

const slowAdapters = 500;

let world: GatewayWorld;
let fast: FakeAdapter;
let slow: TestServer;
let jobs: JobClient;
let held: ServerResponse[];
let released = false;

beforeAll(async () => {
  world = await gatewayWorld();
  await world.start({ ADAPTER_TIMEOUT_MS: 60_000, DELIVERY_LEASE_MS: 120_000, ADAPTER_CONCURRENCY: 5 });
  jobs = new JobClient(testRedisUrl());
  held = [];
  slow = await httpServer((path, body, response) => {
    if (path.endsWith('/deliver') && !released) held.push(response);
    else if (path.endsWith('/deliver')) sendJson(response, { ok: true, message_id: 'late' });
    else sendJson(response, { ...JSON.parse(body), format: 'plain', parts: [], lossy: [] });
  });
  fast = await fakeAdapter('fast');
  fast.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
});
afterAll(async () => {
  released = true;
  for (const response of held) sendJson(response, { ok: true, message_id: 'late' });
  await jobs.close();
  await world.close();
  await Promise.all([slow.close(), fast.close()]);
});

async function send(app: string, number = 1): Promise<string[]> {
  const ids = Array.from({ length: number }, () => newId('dlv'));
  const target = { app_id: app, channel_address: 'room', thread_id: null, reply_context: null };
  const scope = { organization_id: home.organizationId, project_id: home.projectId };
  const job = { ...scope, receipt_id: newId('evt'), turn_id: null, content: { text: 'hello', target } };
  await Promise.all(ids.map((delivery_id) => jobs.enqueue(deliverySend, { ...job, delivery_id })));
  return ids;
}
const delivered = (id: string): Promise<unknown> =>
  until('it is delivered', async () => (await world.call('GET', `deliveries/${id}`)).body.state === 'delivered');

describe('a fast adapter', () => {
  it('is not held up by five hundred that do not answer, nor by one that has very much to do', async () => {
    await world.call('POST', 'adapters', { url: fast.url });
    const app = (await world.call('POST', 'listings/fast/install', {})).body.id;
    // Copies of it, on a host of their own that holds every delivery.
    for (const [table, change] of [
      ['adapter', `base_url = '${slow.url}/' || slug, next_check_at = now() + interval '1 day'`],
      ['app', `adapter_id = 'adp_slow' || n`],
    ] as const) {
      await world.pool.query(
        `CREATE TABLE copies AS SELECT t.*, n FROM gateway.${table} t, generate_series(1, ${slowAdapters}) n`,
      );
      const own =
        table === 'adapter'
          ? `id = 'adp_slow' || n, slug = 'slow' || n`
          : `id = 'app_slow' || n, provider = 'slow' || n, token_hash = 'slow' || n`;
      await world.pool.query(`UPDATE copies SET ${own}`);
      await world.pool.query(`UPDATE copies SET ${change}`);
      await world.pool.query('ALTER TABLE copies DROP COLUMN n');
      await world.pool.query(`INSERT INTO gateway.${table} SELECT * FROM copies`);
      await world.pool.query('DROP TABLE copies');
    }
    for (let n = 1; n <= slowAdapters; n += 1) await send(`app_slow${n}`);
    await send('app_slow1', 200);
    await until('all of them hang', () => held.length >= slowAdapters);
    const [id] = await send(app);
    await delivered(id!);
    expect(held.every(({ writableEnded }) => !writableEnded)).toBe(true);
    // The one with 200 deliveries has five slots of them.
    expect(held.length).toBeLessThanOrEqual(slowAdapters + 4);
  });
});
