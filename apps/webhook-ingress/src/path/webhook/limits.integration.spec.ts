import { testServiceKey, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readSettings } from '../../env.js';
import { Dispatcher } from '../receipts/dispatcher.js';
import { RefusalListRepository } from '../../manage/refusals/refusal-list.repository.js';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

let world: IngressWorld;

beforeAll(async () => {
  world = await openIngress({ endpoints: [endpoint('open')] });
});
afterAll(() => world.close());

async function post(service: NestFastifyApplication, token: string) {
  const answer = await world.post(token, '{}', {}, await service.getUrl());
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
    const service = await world.start({ [name]: 1 });
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
  const settings = readSettings({ ...urls, DATABASE_URL: world.databaseUrl, GATEHOUSE_SERVICE_KEY });
  // Twice what `bench -- ack` has seen of one, in docs/performance.md.
  const { ENDPOINT_RATE_PER_SECOND: endpointRate, ADDRESS_RATE_PER_SECOND: addressRate } = settings;
  expect(Math.min(endpointRate, addressRate)).toBeGreaterThanOrEqual(2 * 14_319);
});

it('a project whose waiting messages are too many learns how its limit is raised', async () => {
  const service = await world.start({});
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
