import { until } from '#libs/testing';
import { newId } from '#libs/contracts';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;
let answer: object;

beforeAll(async () => {
  world = await startGateway({ HEALTH_POLL_MS: 200 });
});
afterAll(() => world.close());
beforeEach(async () => {
  adapter = await fakeAdapter(`cond-${newId('req').slice(-8)}`, { name: 'Shop', credentials: [] });
  answer = { ok: true, message_id: 'm' };
  adapter.routes['deliver'] = () => answer;
  app = (await world.install(adapter)).id;
});
afterEach(() => adapter.close());

const condition = async () => {
  const one = (await world.call('GET', `apps/${app}`)).body.condition;
  const listed = (await world.call('GET', 'apps')).body.data.find(({ id }) => id === app)?.condition;
  expect(listed).toEqual(one);
  return one;
};
const deliver = async (state: string): Promise<void> => {
  const body = { app_id: app, channel_address: 'a', message: { text: 'hi' }, idempotency_key: newId('dlv') };
  const { delivery_id: id = '' } = (await world.internal('POST', 'adapter-calls/deliver', body)).body;
  await until(
    `the delivery is ${state}`,
    async () => (await world.call('GET', `deliveries/${id}`)).body.state === state,
  );
};

describe('an App', () => {
  it('is active while it works', async () => {
    expect(await condition()).toEqual({ state: 'active', why: null });
    await deliver('delivered');
    expect(await condition()).toEqual({ state: 'active', why: null });
  });

  it('fails while its replies are not delivered, until one is', async () => {
    await deliver('delivered');
    answer = { ok: false, error: 'invalid_request', message: 'no such room' };
    await deliver('dead');
    await deliver('dead');
    expect(await condition()).toEqual({
      state: 'failing',
      why: 'Its last 2 replies were not delivered (invalid_request).',
    });
    answer = { ok: true, message_id: 'm' };
    await deliver('delivered');
    expect(await condition()).toEqual({ state: 'active', why: null });
  });

  it('waits while replies wait to be sent again', async () => {
    answer = { ok: false, error: 'rate_limited', message: 'slow down', retry_after_seconds: 3_600 };
    await deliver('queued');
    await until('it waits', async () => (await condition()).state === 'waiting');
    expect((await condition()).why).toBe('1 reply waits to be sent again (rate_limited).');
  });

  it('is paused, disabled or retired as people set it', async () => {
    await world.call('PATCH', `apps/${app}`, { state: 'paused' });
    expect(await condition()).toEqual({ state: 'paused', why: 'It is paused: its messages are held.' });
    await world.call('PATCH', `apps/${app}`, { state: 'disabled' });
    expect((await condition()).state).toBe('disabled');
  });

  it('lacks a credential that its adapter needs', async () => {
    const needy = await fakeAdapter(`need-${newId('req').slice(-8)}`, {});
    app = (await world.install(needy)).id;
    const { state, why } = await condition();
    expect(state).toBe('incomplete');
    expect(why).toMatch(/^It has no usable credential for /);
    await needy.close();
  });

  it('says why its adapter is not ready', async () => {
    await adapter.close();
    const { why } = await until('the adapter is known to be away', async () => {
      const seen = await condition();
      return seen.state === 'unready' && seen;
    });
    expect(why).toMatch(/^Its adapter is not ready: .* Messages and replies wait\.$/);
  });
});
