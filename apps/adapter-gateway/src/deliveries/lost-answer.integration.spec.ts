import type { ServerResponse } from 'node:http';
import { until } from '#libs/testing';
import { Deliveries } from '../testing/deliveries.js';
import { gatewayWorld, type GatewayWorld } from '../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../testing/fake-adapter.js';

let world: GatewayWorld;
let deliveries: Deliveries;
let adapter: FakeAdapter;
let app: string;

beforeAll(async () => {
  world = await gatewayWorld();
  await world.start({ ADAPTER_TIMEOUT_MS: 5_000 });
  deliveries = new Deliveries(world);
});
afterAll(async () => {
  await deliveries.close();
  await world.close();
});

beforeEach(async () => {
  adapter = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`);
});
afterEach(() => adapter.close());

const install = async (): Promise<void> => {
  app = await deliveries.install(adapter);
};

describe('a delivery', () => {
  it.each<[string, (response: ServerResponse) => unknown]>([
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    [
      '50 MB',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(50_000_000)),
    ],
    ['nothing, for ever', () => undefined],
    [
      'an ok that is a text',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":"yes"}'),
    ],
  ])('answered by %s is unknown, and not sent again', async (what, answer) => {
    await install();
    adapter.routes['deliver'] = (_body, response) => void answer(response);
    const id = await deliveries.send(app);
    expect(await deliveries.inState(id, 'unknown')).toMatchObject({ error: 'answer_lost', attempts: 1 });
    expect(adapter.bodiesOf('deliver')).toHaveLength(1);
    if (what.startsWith('nothing')) return;
    const { violation } = await until('the adapter shows it', async () => {
      const { data } = (await world.call('GET', 'adapters')).body;
      const row = data.find(({ slug }) => slug === adapter.slug);
      return row?.violation ? row : null;
    });
    expect(violation).toMatch(/^\/deliver/);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'by hand' });
    await world.call('POST', `deliveries/${id}/redrive`);
    await deliveries.inState(id, 'delivered');
  });

  it('to a provider that did not answer and has no look-up is left for a person to settle', async () => {
    await install();
    adapter.routes['deliver'] = () => ({
      ok: false,
      error: 'timeout',
      error_detail: { message: 'slow', retryable: false },
    });
    const [lost, arrived] = [await deliveries.send(app), await deliveries.send(app)];
    const row = await deliveries.inState(lost, 'unknown');
    expect([row.error, row.error_detail]).toEqual([
      'answer_lost',
      expect.stringMatching(/no look-up.*mark it as delivered/),
    ]);
    await deliveries.inState(arrived, 'unknown');
    const stranger = { projectId: 'prj_other' };
    expect((await world.call('POST', `deliveries/${arrived}/mark-delivered`, undefined, stranger)).status).toBe(404);
    const reader = { scopes: ['deliveries:read' as const] };
    expect((await world.call('POST', `deliveries/${arrived}/mark-delivered`, undefined, reader)).status).toBe(403);
    const marked = await world.call('POST', `deliveries/${arrived}/mark-delivered`);
    expect(marked.body).toMatchObject({ state: 'delivered', error: null, settled_at: expect.any(String) });
    await until(
      'the timeline says who said so',
      async () => (await deliveries.journalOf(arrived)).at(-1) === 'delivered marked_by_person',
    );
    for (const way of ['mark-delivered', 'redrive']) {
      expect((await world.call('POST', `deliveries/${arrived}/${way}`)).status).toBe(409);
    }
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'second' });
    await world.call('POST', `deliveries/${lost}/redrive`);
    expect(await deliveries.inState(lost, 'delivered')).toMatchObject({ provider_message_id: 'second', error: null });
    for (const id of [arrived, lost])
      expect((await deliveries.journalOf(id)).map((told) => told.split(' ')[0])).toEqual(['unknown', 'delivered']);
    expect(adapter.bodiesOf('deliver')).toHaveLength(3);
  });

  it('whose answer was lost is settled by a look-up', async () => {
    adapter.manifest.message = { lookup: true };
    await install();
    adapter.routes['deliver'] = (_body, response) => void response.destroy();
    adapter.routes['deliver/lookup'] = ({ idempotency_key: key, thread_id: thread }) => ({
      found: true,
      message_id: `found ${key} in ${thread}`,
    });
    const id = await deliveries.send(app, { thread: 'thread-1' });
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ provider_message_id: `found ${id} in thread-1` });
  });

  it('whose answer was lost is not sent again before the adapter can tell', async () => {
    adapter.manifest.message = { lookup: true };
    await install();
    let asked = 0;
    adapter.routes['deliver'] = (_body, response) => void response.destroy();
    adapter.routes['deliver/lookup'] = (_body, response) => {
      asked += 1;
      return asked < 3 ? void response.writeHead(429).end() : { found: true, message_id: 'there' };
    };
    expect(await deliveries.inState(await deliveries.send(app), 'delivered')).toMatchObject({
      provider_message_id: 'there',
    });
    expect(adapter.bodiesOf('deliver')).toHaveLength(1);
  });
});
