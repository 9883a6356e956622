import { portalHopHeader } from '#libs/contracts';
import { createService, ServiceTokens } from '#libs/service-kit';
import { testDatabase, type TestDatabase, testServiceKey } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { ingressService } from '../../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../../testing/fake-gateway.js';
import { ingressSettings } from '../../testing/ingress-settings.js';

let database: TestDatabase;
let gateway: FakeGateway;
const services: NestFastifyApplication[] = [];

beforeAll(async () => {
  database = await testDatabase();
  gateway = await fakeGateway();
  gateway.endpoints = [endpoint('open')];
});
afterAll(async () => {
  for (const service of services) await service.close();
  await gateway.close();
  await database.drop();
});

const ingress = async (trusted: string[]): Promise<NestFastifyApplication> => {
  const settings = ingressSettings(database.url, gateway.url, { TRUSTED_PROXIES: trusted });
  const service = await createService(ingressService(settings));
  services.push(service);
  await service.listen(0, '127.0.0.1');
  return service;
};

const tokenOf = (name: 'portal' | 'engine', audience: 'webhook-ingress' | 'router' = 'webhook-ingress') =>
  new ServiceTokens(testServiceKey, name).asService(audience);

/** What the receipt of a request says about where it came from. */
async function noted(service: NestFastifyApplication, headers: Record<string, string>) {
  const answer = await fetch(`${await service.getUrl()}/api/v1/webhooks/open`, {
    method: 'POST',
    body: '{"task":"hi"}',
    headers: { 'content-type': 'application/json', ...headers },
  });
  const { id } = (await answer.json()) as { id: string };
  const [row] = await service
    .get(DataSource)
    .query<{ remote_address: string; headers: string }[]>(
      'SELECT remote_address, headers::text AS headers FROM ingress.receipt WHERE id = $1',
      [id],
    );
  return { address: row?.remote_address, headers: row?.headers ?? '' };
}

const forged = { 'x-forwarded-for': '203.0.113.7' };

it('a client cannot set an address other than its own, whatever it sends', async () => {
  const service = await ingress([]);
  for (const headers of [
    forged,
    { ...forged, [portalHopHeader]: 'portal' },
    { ...forged, [portalHopHeader]: await tokenOf('engine') },
    { ...forged, [portalHopHeader]: await tokenOf('portal', 'router') },
  ]) {
    expect((await noted(service, headers)).address).toBe('127.0.0.1');
  }
});

it('the address that the portal passes on is used, and its token is in no receipt', async () => {
  const service = await ingress([]);
  const token = await tokenOf('portal');
  const { address, headers } = await noted(service, { ...forged, [portalHopHeader]: token });
  expect(address).toBe('203.0.113.7');
  expect(headers).not.toContain(portalHopHeader);
  expect(headers).not.toContain(token);
});

it('so is one from a proxy that the operator configured, as far as it vouches', async () => {
  const service = await ingress(['127.0.0.1']);
  const chain = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' };
  expect((await noted(service, chain)).address).toBe('203.0.113.7');
});
