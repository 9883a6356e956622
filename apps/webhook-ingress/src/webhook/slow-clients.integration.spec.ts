import { createService } from '#libs/service-kit';
import { sendByByte, slowClient, testDatabase, type TestDatabase } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ingressService } from '../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { ingressSettings } from '../testing/ingress-settings.js';

let database: TestDatabase;
let gateway: FakeGateway;
let service: NestFastifyApplication;
let url: string;

beforeAll(async () => {
  database = await testDatabase();
  gateway = await fakeGateway();
  gateway.endpoints = [endpoint('open')];
  const limits = { HTTP_HEADERS_TIMEOUT_MS: 400, HTTP_REQUEST_TIMEOUT_MS: 400, HTTP_MAX_CONNECTIONS: 250 };
  service = await createService(ingressService({ ...ingressSettings(database.url, gateway.url), ...limits }));
  await service.listen(0, '127.0.0.1');
  url = await service.getUrl();
});
afterAll(async () => {
  await service.close();
  await gateway.close();
  await database.drop();
});

const head = 'POST /api/v1/webhooks/open HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const post = (): Promise<Response> =>
  fetch(`${url}/api/v1/webhooks/open`, {
    method: 'POST',
    body: '{"task":"hi"}',
    headers: { 'content-type': 'application/json' },
  });

it('200 requests whose headers never end are closed, and others are answered meanwhile', async () => {
  const clients = await Promise.all(Array.from({ length: 200 }, () => slowClient(url, head)));
  expect((await post()).status).toBe(200);
  await Promise.all(clients.map(({ closed }) => closed));
});

it('a body that comes a byte at a time is answered with 408 and closed', async () => {
  const client = await slowClient(url, `${head}content-length: 100000\r\n\r\n`);
  await sendByByte(client, 20);
  expect(client.received).toMatch(/^HTTP\/1.1 408 /);
  expect((await post()).status).toBe(200);
});

it('one connection more than there may be is closed at once', async () => {
  const clients = await Promise.all(Array.from({ length: 250 }, () => slowClient(url, head)));
  const oneMore = await slowClient(url, head);
  await oneMore.closed;
  expect(oneMore.received).toBe('');
  await Promise.all(clients.map(({ closed }) => closed));
  expect((await post()).status).toBe(200);
});
