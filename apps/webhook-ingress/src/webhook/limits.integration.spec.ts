import { createService } from '#libs/service-kit';
import { testDatabase, type TestDatabase } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IngressSettings } from '../env.js';
import { Dispatcher } from '../receipts/dispatcher.js';
import { ingressService } from '../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { ingressSettings } from '../testing/ingress-settings.js';

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
  ['ENDPOINT_RATE_PER_SECOND', 'endpoint', 'open', 1],
  ['ADDRESS_RATE_PER_SECOND', 'address', 'open', 1],
  ['UNKNOWN_TOKEN_RATE_PER_MINUTE', 'address', 'nothing', 60],
])('over %s a request learns which limit it is, whose, and how it is raised', async (name, of, token, seconds) => {
  const { headers, body } = await refusal(await start({ [name]: 1 }), token);
  expect(body).toMatchObject({
    error: 'rate_limited',
    message: expect.stringMatching(new RegExp(`try again in \\d+ s\\. An operator raises it with ${name} `)),
    limit: { name, of, value: 1, window_seconds: seconds, raise: expect.stringContaining(name) },
  });
  const after = headers.get('retry-after');
  expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['1', '0']);
  expect(headers.get('ratelimit-reset')).toBe(after);
  expect(Number(after)).toBeLessThanOrEqual(seconds);
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
