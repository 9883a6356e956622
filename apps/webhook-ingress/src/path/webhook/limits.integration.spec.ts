import { createService } from '#libs/service-kit';
import { testDatabase, type TestDatabase, testServiceKey, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type IngressSettings, readSettings } from '../../env.js';
import { Dispatcher } from '../receipts/dispatcher.js';
import { RefusalListRepository } from '../../manage/refusals/refusal-list.repository.js';
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

async function start(limits: Partial<IngressSettings>): Promise<NestFastifyApplication> {
  const service = await createService(ingressService(ingressSettings(database.url, gateway.url, limits)));
  services.push(service);
  await service.listen(0, '127.0.0.1');
  return service;
}

async function post(service: NestFastifyApplication, token: string) {
  const answer = await fetch(`${await service.getUrl()}/api/v1/webhooks/${token}`, { method: 'POST', body: '{}' });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

/** The first answer that is over the limit: a window may end between two requests. */
async function refusal(service: NestFastifyApplication, token: string) {
  for (let tries = 0; tries < 50; tries += 1) {
    const answer = await post(service, token);
    if (answer.status === 429) return answer;
  }
  throw new Error('no request was over the limit');
}

it.each([
  ['ENDPOINT_RATE_PER_SECOND', 'rate_limited', 'endpoint', 'open', 1],
  ['ADDRESS_RATE_PER_SECOND', 'address_rate_limited', 'address', 'open', 1],
  ['UNKNOWN_TOKEN_RATE_PER_MINUTE', 'rate_limited', 'address', 'nothing', 60],
])(
  'over %s a request learns which limit it is, whose, and how it is raised',
  async (name, code, of, token, seconds) => {
    const service = await start({ [name]: 1 });
    const { headers, body } = await refusal(service, token);
    expect(body).toMatchObject({
      error: code,
      message: expect.stringMatching(new RegExp(`try again in \\d+ s\\. An operator raises it with ${name} `)),
      limit: { name, of, value: 1, window_seconds: seconds, raise: expect.stringContaining(name) },
    });
    const after = headers.get('retry-after');
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['1', '0']);
    expect(headers.get('ratelimit-reset')).toBe(after);
    expect(Number(after)).toBeLessThanOrEqual(seconds);
    if (token !== 'open') return;
    const list = service.get(RefusalListRepository, { strict: false });
    await until('the owner of the App finds it among its refusals', async () => {
      const page = await list.list('org_1', 'prj_1', {
        appId: null,
        returned: null,
        order: 'desc',
        cursor: null,
        limit: 10,
      });
      return page.some((refused) => refused.code === code);
    });
  },
);

it('the limits of a fresh installation are above what one replica acknowledges', () => {
  const url = 'http://127.0.0.1';
  const urls = { GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url, PUBLIC_URL: url, REDIS_URL: 'redis://127.0.0.1' };
  const GATEHOUSE_SERVICE_KEY = JSON.stringify(testServiceKey);
  const settings = readSettings({ ...urls, DATABASE_URL: database.url, GATEHOUSE_SERVICE_KEY });
  // Twice what `bench -- ack` has seen of one, in docs/performance.md.
  const { ENDPOINT_RATE_PER_SECOND: endpointRate, ADDRESS_RATE_PER_SECOND: addressRate } = settings;
  expect(Math.min(endpointRate, addressRate)).toBeGreaterThanOrEqual(2 * 14_319);
});

it('a project whose waiting messages are too many learns how its limit is raised', async () => {
  const service = await start({});
  const dispatcher = service.get(Dispatcher, { strict: false });
  Object.assign(dispatcher, { fullForS: () => 7, rateOf: () => 3 });
  const { status, headers, body } = await post(service, 'open');
  expect([status, headers.get('retry-after'), headers.get('ratelimit-limit')]).toEqual([429, '7', '3']);
  expect(body).toMatchObject({
    error: 'project_limit',
    message: expect.stringContaining('PUT /api/v1/projects/<id>/limits'),
    limit: { name: 'messages_per_second', of: 'project', value: 3, window_seconds: 1 },
  });
});
