import { slowClient, type SlowClient, until } from '#libs/testing';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerHalfClosed } from './half-closed.js';
import { refuseUnreadable } from './parser-refusals.js';
import { guardRequests } from './request-guard.js';

const bytes = 20_000_000;
let server: Server;
let url: string;
let stream: ServerResponse | null = null;
let never: ServerResponse | null = null;
let clients: SlowClient[] = [];

beforeAll(async () => {
  server = createServer({ requireHostHeader: false }, (request, response) => {
    if (request.url === '/stream') {
      stream = response;
      response.setHeader('content-type', 'text/event-stream; charset=utf-8');
      return void response.write('retry: 2000\n\n');
    }
    if (request.url === '/never') {
      never = response;
      return;
    }
    if (request.url === '/slowly') {
      let pieces = 0;
      const more = setInterval(() => {
        if ((pieces += 1) < 8) return void response.write('piece ');
        clearInterval(more);
        response.end('whole');
      }, 100);
      return;
    }
    // Long after the client has ended its side.
    request.socket.once('end', () => setImmediate(() => response.end(Buffer.alloc(bytes, 'x'))));
    request.resume();
  });
  server.on('clientError', refuseUnreadable);
  guardRequests(server);
  answerHalfClosed(server, 300);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Ends its side right after asking. */
async function asks(opening: string): Promise<SlowClient> {
  const client = await slowClient(url, opening);
  clients.push(client);
  client.socket.end();
  return client;
}

it.each([
  ['HTTP/1.1', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['HTTP/1.1, keeping its connection', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: keep-alive\r\n\r\n'],
  ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
  ['a body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody'],
])('a client that asks by %s and ends its side has the whole answer, and then the end', async (_how, opening) => {
  const { closed } = await asks(opening);
  await closed;
  const { received = '' } = clients[0] ?? {};
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
  expect(received.length - received.indexOf('\r\n\r\n') - 4).toBe(bytes);
});

it('a request that ends before its body is refused', async () => {
  const client = await asks('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nbody');
  await client.closed;
  expect(client.received).toMatch(/^HTTP\/1\.1 400 [^]*invalid_http/);
});

it('a live stream ends with the side of its client', async () => {
  const client = await slowClient(url, 'GET /stream HTTP/1.1\r\nhost: x\r\n\r\n');
  clients.push(client);
  await until('the stream has begun', () => client.received.includes('retry'));
  client.socket.end();
  await until('the stream has ended', () => stream?.destroyed === true);
});

it('a request whose answer does not come ends: who waits for it has gone', async () => {
  const { closed } = await asks('GET /never HTTP/1.1\r\nhost: x\r\n\r\n');
  await closed;
  expect(never?.destroyed).toBe(true);
});

it('an answer that comes in pieces is sent to its end', async () => {
  const { closed } = await asks('GET /slowly HTTP/1.1\r\nhost: x\r\n\r\n');
  await closed;
  expect(clients[0]?.received).toContain('whole');
});
