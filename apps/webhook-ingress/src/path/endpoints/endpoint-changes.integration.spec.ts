import { ChangeListener } from '#libs/database';
import { createService } from '#libs/service-kit';
import { testDatabase, type TestDatabase, testPool, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHmac } from 'node:crypto';
import type pg from 'pg';
import { ingressService } from '../../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../../testing/fake-gateway.js';
import { ingressSettings } from '../../testing/ingress-settings.js';

let database: TestDatabase;
let pool: pg.Pool;
let gateway: FakeGateway;
let service: NestFastifyApplication;
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
  database = await testDatabase();
  pool = testPool(database.url);
  gateway = await fakeGateway();
  gateway.records.set('cred_1', { signing_secret: 'the first' }).set('cred_2', { signing_secret: 'the second' });
  gateway.endpoints = [app('cred_1')];
  // Neither time nor a job tells this replica: only the notification does.
  const patient = { ENDPOINT_PULL_MS: 3_600_000, CREDENTIAL_CACHE_MS: 600_000 };
  service = await createService(ingressService(ingressSettings(database.url, gateway.url, patient)));
  await service.listen(0, '127.0.0.1');
  await until('changes are heard', async () => service.get(ChangeListener, { strict: false }).listening);
});
afterAll(async () => {
  await service.close();
  await gateway.close();
  await pool.end();
  await database.drop();
});

const post = async (secret: string): Promise<number> => {
  const body = '{}';
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-signature-256': `sha256=${digest}` };
  const url = `${await service.getUrl()}/api/v1/webhooks/hook`;
  return (await fetch(url, { method: 'POST', body, headers })).status;
};
const announce = (): Promise<unknown> => pool.query(`SELECT pg_notify('gatehouse_gateway', 'app app_hook')`);

describe('an App that gets another signing secret', () => {
  it('is known to a replica that hears of the change, and to nobody else', async () => {
    expect([await post('the first'), await post('the second')]).toEqual([200, 401]);
    gateway.endpoints = [app('cred_2')];
    await announce();
    await until('the new one is accepted', async () => (await post('the second')) === 200);
    expect(await post('the first')).toBe(401);
  });

  it('is asked for again until the gateway answers', async () => {
    gateway.endpoints = [app('cred_1')];
    gateway.vaultDown = true;
    await announce();
    await until('the gateway was asked', async () => gateway.refusedPulls > 0);
    gateway.vaultDown = false;
    await until('the other one is accepted', async () => (await post('the first')) === 200);
    expect(await post('the second')).toBe(401);
  });
});

it('an App that no longer checks signatures takes what comes before this replica hears of that', async () => {
  expect(await post('the first')).toBe(200);
  gateway.endpoints = [endpoint('hook', { verification: 'none', credentials: [], version: (version += 1) })];
  gateway.unbound.add('cred_1');
  await pool.query('SELECT pg_notify($1, $2)', ['gatehouse_vault', 'credential cred_1']);
  await service.get(ChangeListener, { strict: false }).caughtUp();
  expect(await post('any')).toBe(200);
});
