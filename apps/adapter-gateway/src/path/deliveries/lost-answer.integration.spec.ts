import type { ServerResponse } from 'node:http';
import { until } from '#libs/testing';
import { Deliveries } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

let world: GatewayWorld;
let deliveries: Deliveries;
let adapter: FakeAdapter;
let app: string;

beforeAll(async () => {
  world = await startGateway({ ADAPTER_TIMEOUT_MS: 5_000 });
  deliveries = new Deliveries(world);
});
afterAll(() => world.close());

beforeEach(async () => {
  adapter = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`);
});
afterEach(() => adapter.close());

const install = async (): Promise<void> => {
  app = (await world.install(adapter)).id;
};

describe('a delivery', () => {
  const json = (body: string) => (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  const violations: [string, (response: ServerResponse) => unknown, RegExp][] = [
    ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), /text\/html/],
    ['204', (response) => response.writeHead(204).end(), /204 without a body/],
    ['200 and nothing', (response) => response.writeHead(200).end(), /200 without a body/],
    ['an empty body of JSON', json(''), /200 without a body/],
    ['JSON without a content type', (response) => response.writeHead(200).end('{"ok":true}'), /without a content type/],
    ['a list', json('[]'), /a list, not a JSON object/],
    ['null', json('null'), /null, not a JSON object/],
    ['a text', json('"ok"'), /a text, not a JSON object/],
    ['half of its JSON', json('{"ok": tr'), /not valid JSON/],
    ['50 MB', json('x'.repeat(50_000_000)), /bytes/],
    ['an ok that is a text', json('{"ok":"true"}'), /ok must be true or false, not a text/],
  ];

  it.each(violations)(
    'answered by %s is unknown for a named violation, and not sent again',
    async (_what, answer, words) => {
      await install();
      adapter.routes['deliver'] = (_body, response) => void answer(response);
      const id = await deliveries.send(app);
      const row = await deliveries.inState(id, 'unknown', 'delivered', 'dead');
      expect(row).toMatchObject({ state: 'unknown', error: 'contract_violation', attempts: 1 });
      expect(row.error_detail).toMatch(words);
      expect(row.error_detail).toMatch(/broke the contract.*no look-up.*mark it as delivered or redrive it/);
      expect(adapter.bodiesOf('deliver')).toHaveLength(1);
      const { violation } = await until('the adapter shows it', async () => {
        const { data } = (await world.call('GET', 'adapters')).body;
        const found = data.find(({ slug }) => slug === adapter.slug);
        return found?.violation ? found : null;
      });
      expect(violation).toMatch(words);
      await until('the timeline has it', async () => (await deliveries.journalOf(id)).length > 0);
      expect(await deliveries.journalOf(id)).toEqual(['unknown contract_violation']);
      adapter.routes['deliver'] = () => ({ ok: true, message_id: 'by hand' });
      await world.call('POST', `deliveries/${id}/redrive`);
      await deliveries.inState(id, 'delivered');
    },
  );

  it('without any answer is unknown, and not sent again', async () => {
    await install();
    adapter.routes['deliver'] = () => undefined;
    const id = await deliveries.send(app);
    expect(await deliveries.inState(id, 'unknown')).toMatchObject({ error: 'answer_lost', attempts: 1 });
    expect(adapter.bodiesOf('deliver')).toHaveLength(1);
  });

  it('answered in JSON behind a byte order mark is delivered', async () => {
    await install();
    adapter.routes['deliver'] = (_body, response) => void json('\ufeff{"ok":true,"message_id":"m-1"}')(response);
    const id = await deliveries.send(app);
    expect(await deliveries.inState(id, 'unknown', 'delivered')).toMatchObject({ state: 'delivered', error: null });
  });

  it('answered by a violation is not sent again, though the adapter honours its key', async () => {
    adapter.manifest.message = { idempotent: true };
    await install();
    adapter.routes['deliver'] = (_body, response) => void response.writeHead(204).end();
    const id = await deliveries.send(app);
    expect(await deliveries.inState(id, 'unknown')).toMatchObject({ error: 'contract_violation' });
    expect(adapter.bodiesOf('deliver')).toHaveLength(1);
  });

  it.each([
    [true, 'delivered', null, 'there'],
    [false, 'dead', 'contract_violation', null],
  ])('answered by a violation is looked up: found %s', async (found, state, error, message) => {
    adapter.manifest.message = { lookup: true };
    await install();
    adapter.routes['deliver'] = (_body, response) => void response.writeHead(204).end();
    adapter.routes['deliver/lookup'] = () => (found ? { found, message_id: 'there' } : { found });
    const row = await deliveries.inState(await deliveries.send(app), 'delivered', 'dead', 'unknown');
    expect(row).toMatchObject({ state, error, provider_message_id: message });
    if (error) expect(row.error_detail).toMatch(/204 without a body.*did not arrive: fix the adapter, then redrive/);
    expect(adapter.bodiesOf('deliver')).toHaveLength(1);
  });

  it('redriven after a violation is looked up first, where the adapter can by then', async () => {
    await install();
    adapter.routes['deliver'] = (_body, response) => void response.writeHead(204).end();
    const id = await deliveries.send(app);
    await deliveries.inState(id, 'unknown');
    adapter.manifest.message = { lookup: true };
    adapter.routes['deliver/lookup'] = () => ({ found: true, message_id: 'there' });
    const { data } = (await world.call('GET', 'adapters')).body;
    await world.call('POST', `adapters/${data.find(({ slug }) => slug === adapter.slug)?.id}/refresh`, {});
    await world.call('POST', `deliveries/${id}/redrive`);
    expect(await deliveries.inState(id, 'delivered')).toMatchObject({ provider_message_id: 'there' });
    expect(adapter.bodiesOf('deliver')).toHaveLength(1);
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
    expect(marked.body).toMatchObject({
      state: 'delivered',
      error: null,
      settled_at: expect.any(String),
      provider_message_id: arrived,
    });
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
      expect((await deliveries.journalOf(id)).map((entry) => entry.split(' ')[0])).toEqual(['unknown', 'delivered']);
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
