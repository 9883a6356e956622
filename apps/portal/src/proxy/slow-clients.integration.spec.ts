import { sendByByte, slowClient, until } from '#libs/testing';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';

let portal: PortalWorld;
let behind: Server;
let streaming = 0;
let longAnswers = 0;
let key: string;

beforeAll(async () => {
  behind = createServer((request, response) => {
    if (request.url === '/api/v1/credentials?long') {
      longAnswers += 1;
      return void response.end(Buffer.alloc(20_000_000, 'x'));
    }
    if (!request.url?.startsWith('/api/v1/events')) return void request.resume().once('end', () => response.end('{}'));
    streaming += 1;
    response.once('close', () => (streaming -= 1));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Sends as much as is accepted: a client that does not read lets every buffer on the way fill up, and then nothing
    // moves.
    const fill = (): void => void (response.writable && response.write('x'.repeat(65_536)) && setImmediate(fill));
    response.on('drain', fill);
    fill();
  });
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  const urls = {
    INGRESS_URL: url,
    VAULT_URL: url,
    GATEWAY_URL: url,
    ROUTER_URL: url,
    ENGINE_URL: url,
    MCP_REGISTRY_URL: url,
  };
  const limits = { HTTP_HEADERS_TIMEOUT_MS: 1_500, HTTP_REQUEST_TIMEOUT_MS: 1_500, HTTP_SILENCE_TIMEOUT_MS: 2_000 };
  // Senders that are handed on are limited by the ingress.
  portal = await startPortal({ ...urls, ...limits }, 5_000, { WEBHOOK_CONNECTIONS: 0 });
  key = await portal.key(['admin']);
});

afterAll(async () => {
  await portal.close();
  behind.closeAllConnections();
  await new Promise((resolve) => behind.close(resolve));
});

/** On a connection of its own: one that is kept may be closed for its silence just when it is used again. */
const answers = (): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    get(`${portal.url}/api/v1/credentials`, { headers, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    }).once('error', reject);
  });

it('200 requests whose headers never end are closed, and others are answered meanwhile', async () => {
  const head = 'POST /api/v1/webhooks/tok HTTP/1.1\r\nhost: x\r\n';
  const clients = await Promise.all(Array.from({ length: 200 }, () => slowClient(portal.url, head)));
  expect(await answers()).toBe(200);
  await Promise.all(clients.map(({ closed }) => closed));
});

it.each(['/api/v1/webhooks/tok', '/api/v1/credentials', '/api/v1/api-keys'])(
  'a body for %s that comes one byte at a time ends, and others are answered',
  async (path) => {
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`;
    const client = await slowClient(portal.url, `${head}content-length: 100000\r\n\r\n`);
    await sendByByte(client, 20);
    expect(await answers()).toBe(200);
  },
);

it('a stream that nobody reads ends, here and at the service behind', async () => {
  const head = `GET /api/v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
  const client = await slowClient(portal.url, head);
  client.socket.pause();
  await until('it is open', () => streaming === 1);
  await until('it is closed', () => streaming === 0);
});

it('a client that asks ten times at once and reads nothing takes one connection to the service behind', async () => {
  const ask = `GET /api/v1/credentials?long HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
  const client = await slowClient(portal.url, ask.repeat(10));
  client.socket.pause();
  await until('it is asked', () => longAnswers > 0);
  for (let times = 0; times < 10; times += 1) expect(await answers()).toBe(200);
  expect(longAnswers).toBe(1);
  client.socket.destroy();
});
