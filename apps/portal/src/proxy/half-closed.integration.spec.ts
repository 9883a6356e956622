import { slowClient, until } from '#libs/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';

const bytes = 20_000_000;
let portal: PortalWorld;
let behind: Server;
let folder: string;
let key: string;
let streaming = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-console-'));
  writeFileSync(join(folder, 'index.html'), '<title>Gatehouse</title>');
  writeFileSync(join(folder, 'main.js'), Buffer.alloc(bytes, 'x'));
  behind = createServer((request, response) => {
    if (request.url?.startsWith('/api/v1/events/stream')) {
      streaming += 1;
      response.once('close', () => (streaming -= 1));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write('retry: 2000\n\n');
    }
    request.resume().once('end', () => response.end(Buffer.alloc(bytes, 'x')));
  });
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  const urls = { INGRESS_URL: url, VAULT_URL: url, GATEWAY_URL: url, ROUTER_URL: url };
  portal = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 5_000, { CONSOLE_DIR: folder });
  key = await portal.key(['admin']);
});
afterAll(async () => {
  await portal.close();
  behind.closeAllConnections();
  await new Promise((resolve) => behind.close(resolve));
  rmSync(folder, { recursive: true });
});

it.each([
  ['a read of the API', 'GET', '/api/v1/credentials', '1.1'],
  ['a write of the API', 'POST', '/api/v1/credentials', '1.1'],
  ['a webhook', 'POST', '/api/v1/webhooks/tok', '1.1'],
  ['a webhook by HTTP/1.0', 'POST', '/api/v1/webhooks/tok', '1.0'],
  ['a file of the console', 'GET', '/main.js', '1.0'],
])('a client that ends its side right after asking has the whole answer: %s', async (_what, method, path, version) => {
  const body = method === 'POST' ? 'content-length: 2\r\n\r\n{}' : '\r\n';
  const head = `${method} ${path} HTTP/${version}\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`;
  const client = await slowClient(portal.url, `${head}${body}`);
  client.socket.end();
  await client.closed;
  expect(client.received).toMatch(/^HTTP\/1\.1 200 /);
  expect(client.received.length - client.received.indexOf('\r\n\r\n') - 4).toBe(bytes);
});

it('a live stream ends with the side of its client, here and at the service behind', async () => {
  const head = `GET /api/v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`;
  const client = await slowClient(portal.url, head);
  await until('it has begun', () => client.received.includes('retry'));
  client.socket.end();
  await until('it has ended', () => streaming === 0);
});
