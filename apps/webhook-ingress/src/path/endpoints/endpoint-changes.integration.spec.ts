import { ChangeListener } from '#libs/database';
import { until } from '#libs/testing';
import { createHmac } from 'node:crypto';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

let world: IngressWorld;
let version = 1;

const linked = (credential_id: string) => [
  { key: 'SIGNING_SECRET', type: 'text' as const, maps_to: 'signing_secret', credential_id },
];
const app = (credential_id: string) =>
  endpoint('hook', {
    verification: { scheme: 'hmac', secret_fields: ['signing_secret'] },
    credentials: linked(credential_id),
    version: (version += 1),
  });

beforeAll(async () => {
  world = await openIngress({ endpoints: [app('cred_1')] });
  world.gateway.records.set('cred_1', { signing_secret: 'the first' }).set('cred_2', { signing_secret: 'the second' });
  // Neither time nor a job informs this replica: only the notification does.
  await world.start({ ENDPOINT_PULL_MS: 3_600_000, CREDENTIAL_CACHE_MS: 600_000 });
  await until('changes are heard', async () => world.app.get(ChangeListener, { strict: false }).listening);
});
afterAll(() => world.close());

const post = async (secret: string): Promise<number> => {
  const body = '{}';
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  return (await world.post('hook', body, { 'x-signature-256': `sha256=${digest}` })).status;
};
const announce = (): Promise<unknown> => world.query(`SELECT pg_notify('gatehouse_gateway', 'app app_hook')`);

describe('an App that gets another signing secret', () => {
  it('is known to a replica that hears of the change, and to nobody else', async () => {
    expect([await post('the first'), await post('the second')]).toEqual([200, 401]);
    world.gateway.endpoints = [app('cred_2')];
    await announce();
    await until('the new one is accepted', async () => (await post('the second')) === 200);
    expect(await post('the first')).toBe(401);
  });

  it('is asked for again until the gateway answers', async () => {
    world.gateway.endpoints = [app('cred_1')];
    world.gateway.vaultDown = true;
    await announce();
    await until('the gateway was asked', async () => world.gateway.refusedPulls > 0);
    world.gateway.vaultDown = false;
    await until('the other one is accepted', async () => (await post('the first')) === 200);
    expect(await post('the second')).toBe(401);
  });
});

it('an App that no longer checks signatures takes what comes before this replica hears of that', async () => {
  expect(await post('the first')).toBe(200);
  world.gateway.endpoints = [endpoint('hook', { verification: 'none', credentials: [], version: (version += 1) })];
  world.gateway.unbound.add('cred_1');
  await world.query('SELECT pg_notify($1, $2)', ['gatehouse_vault', 'credential cred_1']);
  await world.app.get(ChangeListener, { strict: false }).caughtUp();
  expect(await post('any')).toBe(200);
});
