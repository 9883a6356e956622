import { Deliveries } from '../../testing/deliveries.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

const account = { key: 'ACCOUNT', type: 'oauth2', label: 'Account', maps_to: 'access_token' };
const key = { key: 'KEY', type: 'api_key', label: 'Key', maps_to: 'token' };
const refusal = { ok: false, error: 'auth_failed', error_detail: { message: 'token revoked', retryable: false } };

let world: GatewayWorld;
let deliveries: Deliveries;
let adapter: FakeAdapter;
let made = 0;

beforeAll(async () => {
  world = await startGateway({ DELIVERY_RETRY_PAUSE_MAX_MS: 100 });
  deliveries = new Deliveries(world);
});
afterAll(() => world.close());
beforeEach(() => {
  world.vault.refused.length = 0;
  world.vault.replace = null;
});
afterEach(() => adapter?.close());

/** An App whose adapter gets its credential; the provider accepts only `new`. */
const install = async (declared = account) => {
  made += 1;
  const credential = `cred_refused_${made}`;
  const field = declared.type === 'oauth2' ? 'access_token' : 'token';
  world.vault.credentials.set(credential, { [field]: 'old' });
  world.vault.types.set(credential, declared.type === 'oauth2' ? 'oauth2' : 'api_key');
  if (declared.type === 'oauth2') world.vault.versions.set(credential, 1);
  adapter = await fakeAdapter(`refusing-${made}`, { credentials: [declared] });
  adapter.routes['deliver'] = ({ credentials }) =>
    credentials[field] === 'new' ? { ok: true, message_id: 'm' } : refusal;
  const app = (await world.install(adapter, { credentials: { [declared.key]: credential } })).id;
  return { app, credential };
};
const replaceWith = (token: string) => (id: string) => {
  world.vault.credentials.set(id, { access_token: token });
  world.vault.versions.set(id, (world.vault.versions.get(id) ?? 0) + 1);
  return null;
};
const ended = async (app: string) => deliveries.inState(await deliveries.send(app), 'delivered', 'dead', 'unknown');
const calls = () => adapter.bodiesOf('deliver');

describe('a delivery whose access token is refused', () => {
  it.each([
    ['by auth_failed', () => refusal],
    ['by status 401', null],
  ])('is sent again with another one, %s', async (_how, answer) => {
    const { app, credential } = await install();
    const accepting = adapter.routes['deliver']!;
    adapter.routes['deliver'] = (body, response, request) => {
      if (body.credentials['access_token'] === 'new') return accepting(body, response, request);
      return answer ? answer() : void response.writeHead(401).end();
    };
    world.vault.replace = replaceWith('new');
    const row = await ended(app);
    expect(row).toMatchObject({ state: 'delivered' });
    expect(calls().map(({ idempotency_key }) => idempotency_key)).toEqual([row.id, row.id]);
    expect(world.vault.refused).toEqual([`${credential} 1`]);
    expect(await deliveries.journalOf(row.id)).toEqual(['retrying auth_failed', 'delivered']);
  });

  it('is sent again when /format refuses it', async () => {
    const { app } = await install();
    adapter.routes['format'] = ({ credentials, text }, response) =>
      credentials['access_token'] === 'new' ? { text } : void response.writeHead(401).end();
    world.vault.replace = replaceWith('new');
    expect(await ended(app)).toMatchObject({ state: 'delivered' });
    expect(calls()).toHaveLength(1);
  });

  it('keeps the parts that have arrived', async () => {
    const { app } = await install(account);
    const accepting = adapter.routes['deliver']!;
    adapter.routes['deliver'] = (body, response, request) =>
      calls().length === 1 ? { ...refusal, delivered_parts: 2 } : accepting(body, response, request);
    world.vault.replace = replaceWith('new');
    expect(await ended(app)).toMatchObject({ state: 'delivered' });
    expect(calls().map(({ from_part }) => from_part)).toEqual([0, 2]);
  });

  it('fails when the other one is refused too', async () => {
    const { app } = await install();
    world.vault.replace = replaceWith('also old');
    expect(await ended(app)).toMatchObject({ state: 'dead', error: 'auth_failed' });
    expect(calls()).toHaveLength(2);
    expect(world.vault.refused).toHaveLength(1);
  });

  it('fails at once when there is no other, or it is no token of a grant', async () => {
    const first = await install();
    expect(await ended(first.app)).toMatchObject({ state: 'dead', error: 'auth_failed' });
    expect(calls()).toHaveLength(1);
    await adapter.close();
    const second = await install(key);
    expect(await ended(second.app)).toMatchObject({ state: 'dead', error: 'auth_failed' });
    expect(calls()).toHaveLength(1);
    expect(world.vault.refused).toEqual([`${first.credential} 1`]);
  });

  it('waits while the vault cannot replace it yet', async () => {
    const { app } = await install();
    world.vault.replace = (id) =>
      world.vault.refused.length < 3 ? [{ code: 'refresh_pending', detail: 'try again' }, 503] : replaceWith('new')(id);
    expect(await ended(app)).toMatchObject({ state: 'delivered' });
  });
});
