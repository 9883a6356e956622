import { portalHopHeader } from '#libs/contracts';
import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

let world: IngressWorld;

beforeAll(async () => {
  world = await openIngress({ endpoints: [endpoint('open')] });
});
afterAll(() => world.close());

const tokenOf = (name: 'portal' | 'engine', audience: 'webhook-ingress' | 'router' = 'webhook-ingress') =>
  new ServiceTokens(testServiceKey, name).asService(audience);

/** What the receipt of a request says about where it came from. */
async function noted(service: NestFastifyApplication, headers: Record<string, string>) {
  const answer = await world.post('open', '{"task":"hi"}', headers, await service.getUrl());
  const { id } = (await answer.json()) as { id: string };
  const [row] = await world.query<{ remote_address: string; headers: string }>(
    'SELECT remote_address, headers::text AS headers FROM ingress.receipt WHERE id = $1',
    [id],
  );
  return { address: row?.remote_address, headers: row?.headers ?? '' };
}

const forged = { 'x-forwarded-for': '203.0.113.7' };

it('a client cannot set an address other than its own, whatever it sends', async () => {
  const service = await world.start({ TRUSTED_PROXIES: [] });
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
  const service = await world.start({ TRUSTED_PROXIES: [] });
  const token = await tokenOf('portal');
  const { address, headers } = await noted(service, { ...forged, [portalHopHeader]: token });
  expect(address).toBe('203.0.113.7');
  expect(headers).not.toContain(portalHopHeader);
  expect(headers).not.toContain(token);
});

it('the last address that a proxy of TRUSTED_PROXIES passes on is used, and none before it', async () => {
  const service = await world.start({ TRUSTED_PROXIES: ['127.0.0.1'] });
  const chain = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' };
  expect((await noted(service, chain)).address).toBe('203.0.113.7');
});
