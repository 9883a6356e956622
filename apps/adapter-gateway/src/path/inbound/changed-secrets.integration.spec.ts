import { inboundParse, messageRoute, newId } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { testRedisUrl, until } from '#libs/testing';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { gatewayWorld, type GatewayWorld, home } from '../../testing/gateway-world.js';
import { httpServer, sendJson, type TestServer } from '../../testing/http-server.js';

const signing = { key: 'SIGNING', type: 'text', label: 'Signing secret', maps_to: 'signing_secret' };
const request = { method: 'POST', url: '/', path: '/', query: {}, headers: {}, body: '{}', body_encoding: 'utf8' };
const credential = newId('cred');

let world: GatewayWorld;
let ingress: TestServer;
let jobs: JobClient;
let adapter: FakeAdapter;
let app: string;

beforeAll(async () => {
  ingress = await httpServer((_path, _body, response) => sendJson(response, { request }));
  world = await gatewayWorld();
  // So long that only a second look finds a change that nobody announces.
  await world.start({ INGRESS_URL: ingress.url, CREDENTIAL_CACHE_MS: 60_000 });
  jobs = new JobClient(testRedisUrl());
  world.vault.credentials.set(credential, { signing_secret: 'the-first-secret' });
  adapter = await fakeAdapter('changed-secrets', { credentials: [signing] });
  adapter.routes['parse-inbound'] = () => ({ event_type: 'said', sender: 'ada', message: 'hi', is_bot: false });
  await world.call('POST', 'adapters', { url: adapter.url });
  const install = { credentials: { SIGNING: credential } };
  app = (await world.call('POST', `listings/${adapter.slug}/install`, install)).body.id;
});
afterAll(async () => {
  await jobs.close();
  await world.close();
  await Promise.all([adapter.close(), ingress.close()]);
});

/** The provider signs with this secret. */
const signsWith = (secret: string): void => {
  adapter.routes['verify-webhook'] = ({ credentials }) =>
    credentials['signing_secret'] === secret ? { ok: true } : { ok: false, error: 'bad_signature' };
};
const receive = async (): Promise<string> => {
  const receipt_id = newId('evt');
  const { organizationId: organization_id, projectId: project_id } = home;
  const job = { receipt_id, received_at: new Date().toISOString(), organization_id, project_id, app_id: app };
  await jobs.enqueue(inboundParse, { ...job, verified_scheme: null });
  return receipt_id;
};
const outcomeOf = (receipt: string) =>
  until('it is routed or refused', async () => {
    if ((await world.waiting(messageRoute)).some(({ receipt_id }) => receipt_id === receipt)) return 'routed';
    const { rows } = await world.pool.query(
      `SELECT 1 FROM journal.entry WHERE receipt_id = $1 AND outcome = 'refused'`,
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
