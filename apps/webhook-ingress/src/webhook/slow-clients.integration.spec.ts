import { createService } from '#libs/service-kit';
import { sendByByte, slowClient, testDatabase, type TestDatabase, until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IngressSettings } from '../env.js';
import { ingressService } from '../service.js';
import { endpoint, type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { ingressSettings } from '../testing/ingress-settings.js';

let database: TestDatabase;
let gateway: FakeGateway;
let url: string;
const services: NestFastifyApplication[] = [];

/** @returns its address */
async function start(limits: Partial<IngressSettings>): Promise<string> {
  const settings = ingressSettings(database.url, gateway.url, limits);
  const service = await createService(ingressService(settings));
  services.push(service);
  await service.listen(0, '127.0.0.1');
  return service.getUrl();
}

beforeAll(async () => {
  database = await testDatabase();
  gateway = await fakeGateway();
  gateway.endpoints = [endpoint('open')];
  url = await start({ HTTP_HEADERS_TIMEOUT_MS: 1_500, HTTP_REQUEST_TIMEOUT_MS: 1_500 });
});
afterAll(async () => {
  for (const service of services) await service.close();
  await gateway.close();
  await database.drop();
});

const head = 'POST /api/v1/webhooks/open HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const post = (to = url): Promise<Response> =>
  fetch(`${to}/api/v1/webhooks/open`, {
    method: 'POST',
    body: '{"task":"hi"}',
    headers: { 'content-type': 'application/json' },
  });

it('200 requests whose headers never end are closed, and others are answered meanwhile', async () => {
  const clients = await Promise.all(Array.from({ length: 200 }, () => slowClient(url, head)));
  expect((await post()).status).toBe(200);
  await Promise.all(clients.map(({ closed }) => closed));
});

it('a body that comes one byte at a time is answered with 408 and closed', async () => {
  const client = await slowClient(url, `${head}content-length: 100000\r\n\r\n`);
  await sendByByte(client, 20);
  expect(client.received).toMatch(/^HTTP\/1.1 408 /);
  expect((await post()).status).toBe(200);
});

it('one connection over the limit is closed at once', async () => {
  const crowded = await start({ HTTP_MAX_CONNECTIONS: 20 });
  const clients = await Promise.all(Array.from({ length: 20 }, () => slowClient(crowded, head)));
  const oneMore = await slowClient(crowded, head);
  await oneMore.closed;
  expect(oneMore.received).toBe('');
  for (const { socket } of clients) socket.destroy();
  expect((await until('one is free', () => post(crowded))).status).toBe(200);
});
