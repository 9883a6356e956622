import { messageRoute } from '#libs/contracts';
import { ChangeListener } from '#libs/database';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Deliveries } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { fakeIngress, type GatewayWorld, plainRequest, startGateway } from '../../testing/gateway-world.js';
import { sendJson } from '../../testing/http-server.js';

let world: GatewayWorld;
let replicas: NestFastifyApplication[];
let deliveries: Deliveries;
let adapter: FakeAdapter;
let app: string;
let source: string;

const hour = 3_600_000;

beforeAll(async () => {
  // Keeps the requests of receipts that wait.
  const ingress = await fakeIngress();
  // Nothing here may depend on the next regular poll.
  world = await startGateway({ HEALTH_POLL_MS: hour, HEALTH_POLL_MAX_MS: hour, INGRESS_URL: ingress.url }, ingress);
  replicas = [world.app, await world.start()];
  deliveries = new Deliveries(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  adapter = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`, {
    credentials: [],
    sources: {},
  });
  Object.assign(adapter.routes, {
    verify: () => ({ ok: true, user: 'Bot' }),
    'verify-webhook': () => ({ ok: true }),
    'parse-inbound': () => ({ event_type: 'message_received', sender: 'ada', message: 'hi', is_bot: false }),
    deliver: () => ({ ok: true, message_id: 'm1' }),
    'sources/list-changes': () => ({ changes: [], cursor: 'c' }),
  });
  app = (await world.install(adapter)).id;
  source = (await world.call('POST', 'sources', { app_id: app, name: 'docs', resource_path: '' })).body.id;
  await until('the first run has ended', async () => (await runs()).every(({ state }) => state === 'succeeded'));
  adapter.calls.length = 0;
});
afterEach(() => adapter.close());

const runs = async (): Promise<{ state: string; error: string | null }[]> =>
  (await world.call('GET', `sources/${source}/runs`)).body.data;
const verify = () => world.call('POST', `apps/${app}/verify`);
const routesCalled = (): string[] => adapter.calls.map(({ route }) => route);
/** Resolves when every replica knows what was committed before. */
const heard = () =>
  Promise.all(
    replicas.map(async (replica) => {
      const listener = replica.get(ChangeListener, { strict: false });
      await until('it listens', async () => listener.listening);
      await listener.caughtUp();
    }),
  );
const stateOf = async () => {
  const { rows } = await world.pool.query('SELECT state, checked_at FROM gateway.adapter WHERE slug = $1', [
    adapter.slug,
  ]);
  return rows[0] as { state: string; checked_at: Date };
};
const receive = () => world.receive(app, { scheme: null });

describe('an adapter that Verify finds unready', () => {
  it('gets no call of any kind from any replica, and all of it goes on once Verify finds it ready', async () => {
    await heard();
    adapter.health.status = 'draining';
    const { body } = await verify();
    expect(body).toMatchObject({ ok: false, code: 'adapter_unready' });
    expect(body.error).toContain('status is "draining"');
    await heard();

    const sent = await Promise.all(Array.from({ length: 4 }, () => deliveries.send(app)));
    const received = await Promise.all(Array.from({ length: 4 }, receive));
    await world.call('POST', `sources/${source}/sync`);
    const asked = { app_id: app, text: 'hello' };
    expect((await world.internal('POST', 'adapter-calls/format', asked)).body.code).toBe('adapter_unready');
    expect((await world.internal('POST', 'adapter-calls/verify', { app_id: app })).body.code).toBe('adapter_unready');
    const handshake = {
      request: plainRequest,
      received_at: new Date().toISOString(),
      verified: false,
      declared: false,
    };
    expect((await world.internal('POST', `apps/${app}/handshake`, handshake)).status).toBe(503);

    for (const id of sent) {
      await until('the delivery waits', async () => (await deliveries.read(id)).error === 'adapter_unready');
    }
    await until('the receipts wait', async () => {
      const { rows } = await world.pool.query(
        `SELECT FROM gateway.inbound_wait WHERE receipt_id = ANY($1) AND reason = 'adapter_unready'`,
        [received],
      );
      return rows.length === received.length;
    });
    await until('the run waits', async () => (await runs())[0]?.error === 'adapter_unready');
    expect(routesCalled()).toEqual([]);
    const why = new RegExp(`^the adapter ${adapter.slug}: not ready since \\S+T\\d\\d:\\d\\dZ, because .*draining`);
    expect(await deliveries.read(sent[0] ?? '')).toMatchObject({ error_detail: expect.stringMatching(why) });

    adapter.health.status = 'ready';
    expect((await verify()).body).toMatchObject({ ok: true, user: 'Bot' });
    for (const id of sent) expect(await deliveries.inState(id, 'delivered')).toMatchObject({ attempts: 1 });
    await until('the messages are routed', async () => {
      const routed = (await world.waiting(messageRoute)).map(({ receipt_id: id }) => id);
      return received.every((id) => routed.includes(id));
    });
    await until('the run has ended', async () => (await runs()).every(({ state }) => state === 'succeeded'));
  });
});

describe('an adapter whose call fails', () => {
  it('is polled at once, gets nothing more while it is unready, and the rest when it is ready', async () => {
    adapter.health.status = 'stopping';
    adapter.routes['deliver'] = (_body, response) => sendJson(response, {}, 503);
    const id = await deliveries.send(app);
    await until('it was found unready', async () => (await stateOf()).state === 'unready');
    await heard();
    const before = routesCalled().length;
    expect((await world.internal('POST', 'adapter-calls/format', { app_id: app, text: 'x' })).body.code).toBe(
      'adapter_unready',
    );
    expect(routesCalled().length).toBe(before);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
    adapter.health.status = 'ready';
    await deliveries.inState(id, 'delivered');
  });

  it('is polled at once when nothing listens there any more', async () => {
    await adapter.close();
    const refusal = await world.internal('POST', 'adapter-calls/format', { app_id: app, text: 'x' });
    expect(refusal.status).toBe(503);
    await until('it was found unready', async () => (await stateOf()).state === 'unready');
    adapter = await fakeAdapter('unused');
  });

  it('stays in use when its health says that it is ready', async () => {
    const { checked_at: before } = await stateOf();
    adapter.routes['format'] = (_body, response) => sendJson(response, {}, 500);
    await world.internal('POST', 'adapter-calls/format', { app_id: app, text: 'x' });
    const after = await until('it was polled', async () => {
      const now = await stateOf();
      return now.checked_at > before ? now : null;
    });
    expect(after.state).toBe('ready');
  });
});
