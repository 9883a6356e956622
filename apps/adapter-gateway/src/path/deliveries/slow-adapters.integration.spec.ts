import { until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { Deliveries } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../../testing/http-server.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

const slowAdapters = 500;

let world: GatewayWorld;
let fast: FakeAdapter;
let slow: TestServer;
let deliveries: Deliveries;
let held: ServerResponse[];
let released = false;

beforeAll(async () => {
  world = await startGateway({ ADAPTER_TIMEOUT_MS: 60_000, DELIVERY_LEASE_MS: 120_000, ADAPTER_CONCURRENCY: 5 });
  deliveries = new Deliveries(world);
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
  await world.close();
  await Promise.all([slow.close(), fast.close()]);
});

describe('a fast adapter', () => {
  it('is not held up by five hundred that do not answer, nor by one with a very long queue', async () => {
    const app = (await world.install(fast)).id;
    // Copies of the fast adapter, on a host of their own that holds every delivery.
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
    for (let n = 1; n <= slowAdapters; n += 1) await deliveries.send(`app_slow${n}`);
    await Promise.all(Array.from({ length: 200 }, () => deliveries.send('app_slow1')));
    await until('all of them hang', () => held.length >= slowAdapters);
    await deliveries.inState(await deliveries.send(app), 'delivered');
    expect(held.every(({ writableEnded }) => !writableEnded)).toBe(true);
    // The one with 200 deliveries has only five slots.
    expect(held.length).toBeLessThanOrEqual(slowAdapters + 4);
  });
});
