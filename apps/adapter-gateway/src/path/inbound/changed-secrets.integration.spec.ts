import { messageRoute, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { fakeIngress, type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

const signing = { key: 'SIGNING', type: 'text', label: 'Signing secret', maps_to: 'signing_secret' };
const credential = newId('cred');

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;

beforeAll(async () => {
  const ingress = await fakeIngress();
  // So long that only a second look finds a change that nobody announces.
  adapter = await fakeAdapter('changed-secrets', { credentials: [signing] });
  world = await startGateway({ INGRESS_URL: ingress.url, CREDENTIAL_CACHE_MS: 60_000 }, ingress, adapter);
  world.vault.credentials.set(credential, { signing_secret: 'the-first-secret' });
  adapter.routes['parse-inbound'] = () => ({ event_type: 'said', sender: 'ada', message: 'hi', is_bot: false });
  app = (await world.install(adapter, { credentials: { SIGNING: credential } })).id;
});
afterAll(() => world.close());

/** The provider signs with this secret. */
const signsWith = (secret: string): void => {
  adapter.routes['verify-webhook'] = ({ credentials }) =>
    credentials['signing_secret'] === secret ? { ok: true } : { ok: false, error: 'bad_signature' };
};
const receive = () => world.receive(app, { scheme: null, request: null });
const outcomeOf = (receipt: string) =>
  until('it is routed or refused', async () => {
    if ((await world.waiting(messageRoute)).some(({ receipt_id }) => receipt_id === receipt)) return 'routed';
    const { rows } = await world.pool.query(
      `SELECT 1 FROM ${everyEntry} e WHERE receipt_id = $1 AND outcome = 'refused'`,
      [receipt],
    );
    return rows.length > 0 ? 'refused' : null;
  });

describe('a signature that does not match', () => {
  it('is checked with the secret in force before it is refused, though its change was not heard of', async () => {
    signsWith('the-first-secret');
    expect(await outcomeOf(await receive())).toBe('routed');
    const readMs = performance.now();
    world.vault.credentials.set(credential, { signing_secret: 'the-second-secret' });
    signsWith('the-second-secret');
    await until('the secret was not read just now', () => performance.now() - readMs > 150);
    expect(await outcomeOf(await receive())).toBe('routed');
  });

  it('is refused at once, with one call, when the secret has not changed', async () => {
    signsWith('another-secret');
    const before = adapter.bodiesOf('verify-webhook').length;
    expect(await outcomeOf(await receive())).toBe('refused');
    expect(adapter.bodiesOf('verify-webhook')).toHaveLength(before + 1);
  });
});
