import { announcedBytesHeader, bodyRoomHeader } from '#libs/contracts';
import { slowClient, type SlowClient, until } from '#libs/testing';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';

const room = 1_048_576;
let portal: PortalWorld;
let behind: Server;
let key: string;
/** Requests at the service, besides announcements. */
let asked: IncomingMessage[] = [];
let announced: string[] = [];
let open = 0;
/** While set, the service answers nothing. */
let silent = false;
const clients: SlowClient[] = [];

beforeAll(async () => {
  behind = createServer((request, response) => {
    const bytes = request.headers[announcedBytesHeader];
    if (bytes !== undefined) {
      announced.push(String(bytes));
      if (request.url?.endsWith('unknown')) {
        response.writeHead(404, { 'content-type': 'application/json', [bodyRoomHeader]: 0 });
        return void response.end('{"error":"unknown_token"}');
      }
      if (Number(bytes) > room) {
        response.writeHead(413, { 'content-type': 'application/json', [bodyRoomHeader]: 0 });
        return void response.end('{"error":"body_too_large"}');
      }
      return void response.writeHead(200, { [bodyRoomHeader]: room }).end();
    }
    asked.push(request);
    if (!silent)
      request.resume().once('end', () => response.end(request.url?.endsWith('large') ? 'x'.repeat(500_000) : '{}'));
  });
  behind.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  const urls = { INGRESS_URL: url, VAULT_URL: url, GATEWAY_URL: url, ROUTER_URL: url, ENGINE_URL: url };
  // Senders that are handed on are limited by the ingress.
  const limits = { WEBHOOK_CONNECTIONS: 0, UPSTREAM_CONNECTIONS: 2, UPSTREAM_QUEUE: 1, UPSTREAM_QUEUE_MS: 200 };
  const slow = { BODY_PROMPT_MS: 300, BODY_GRACE_MS: 1_500, SLOW_BODIES_PER_ADDRESS: 8, SLOW_BODIES_PER_TOKEN: 4 };
  const trusted = { TRUSTED_PROXIES: ['127.0.0.1'] };
  portal = await startPortal({ ...urls, MCP_REGISTRY_URL: url }, 5_000, { ...limits, ...slow, ...trusted });
  key = await portal.key(['admin']);
});
beforeEach(() => {
  [asked, announced, silent] = [[], [], false];
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});
afterAll(async () => {
  await portal.close();
  behind.closeAllConnections();
  await new Promise((resolve) => behind.close(resolve));
});

const head = (path: string, from: string, ...more: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `x-forwarded-for: ${from}`,
    `authorization: Bearer ${key}`,
    ...more,
    '',
    '',
  ].join('\r\n');
const client = async (text: string): Promise<SlowClient> => {
  const made = await slowClient(portal.url, text);
  clients.push(made);
  return made;
};
const good = async (path = '/api/v1/webhooks/tok'): Promise<number> =>
  (await fetch(`${portal.url}${path}`, { method: 'POST', body: '{}', headers: { authorization: `Bearer ${key}` } }))
    .status;

it.each(['/api/v1/webhooks/tok', '/api/v1/credentials'])(
  'bodies that have not come reach no service and keep nobody from it: %s',
  async (path) => {
    const slow = await Promise.all(
      Array.from({ length: 40 }, () => client(`${head(path, '203.0.113.1', 'content-length: 9')}x`)),
    );
    expect(await Promise.all([good(path), good(path)])).toEqual([200, 200]);
    expect(asked).toHaveLength(2);
    await Promise.all(slow.map(({ closed }) => closed));
    expect(asked).toHaveLength(2);
  },
);

it('of one token only so many bodies may be slow, and the others are shown which limit', async () => {
  const slow = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      client(`${head('/api/v1/webhooks/tok', `203.0.113.${n}`, 'content-length: 9')}x`),
    ),
  );
  await Promise.all(slow.map(({ closed }) => closed));
  const answers = slow.map(({ received }) => received.slice(9, 12)).sort();
  expect(answers).toEqual(['408', '408', '408', '408', '429', '429']);
  expect(slow.find(({ received }) => received.includes(' 429 '))?.received).toContain('SLOW_BODIES_PER_TOKEN');
});

it('of one address too, as a trusted proxy names it', async () => {
  const slow = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      client(`${head(`/api/v1/webhooks/tok${n}`, n < 10 ? '203.0.113.1' : '203.0.113.2', 'content-length: 9')}x`),
    ),
  );
  await Promise.all(slow.map(({ closed }) => closed));
  for (const address of [slow.slice(0, 10), slow.slice(10)]) {
    const refused = address.filter(({ received }) => received.includes('SLOW_BODIES_PER_ADDRESS'));
    expect(refused.length).toBe(2);
  }
});

it('a body that never begins is 408 after its time', async () => {
  const waiting = await client(head('/api/v1/webhooks/tok', '203.0.113.1', 'content-length: 9'));
  await waiting.closed;
  expect(waiting.received).toMatch(
    /^HTTP\/1.1 408 [^]*content-type: application\/json[^]*\{"error":"body_too_slow","message":/,
  );
});

it.each(['/api/v1/webhooks/tok', '/api/v1/credentials'])(
  'a body over the limit is 413 from its declared length, and closes: %s',
  async (path) => {
    const over = await client(head(path, '203.0.113.1', 'content-length: 20000000'));
    await over.closed;
    expect(over.received).toMatch(/^HTTP\/1.1 413 /);
    expect(over.received).toMatch(/\r\nconnection: close\r\n/i);
    expect(over.received).toContain('body_too_large');
    expect([announced, asked.length]).toEqual([['20000000'], 0]);
  },
);

it('a body without a declared length is 413 once it is over the limit', async () => {
  const over = await client(head('/api/v1/webhooks/tok', '203.0.113.1', 'transfer-encoding: chunked'));
  over.socket.write(`${(room + 1).toString(16)}\r\n${'x'.repeat(room + 1)}\r\n0\r\n\r\n`);
  await over.closed;
  expect(over.received).toMatch(/^HTTP\/1.1 413 /);
});

it.each(['/api/v1/webhooks/tok', '/api/v1/credentials'])(
  'Expect: 100-continue is kept from the service: %s',
  async (path) => {
    for (const bytes of [2, 100_000]) {
      const asks = await client(head(path, '203.0.113.1', 'expect: 100-continue', `content-length: ${bytes}`));
      await until('it may go on', () => asks.received.startsWith('HTTP/1.1 100 '));
      asks.socket.write('x'.repeat(bytes));
      await until('it is answered', () => asks.received.includes('HTTP/1.1 200 '));
      expect(asked.at(-1)?.headers).not.toHaveProperty('expect');
      expect(asked.at(-1)?.headers).not.toHaveProperty(announcedBytesHeader);
    }
  },
);

it.each([
  ['/api/v1/webhooks/unknown', 2, ['2']],
  ['/api/v1/webhooks/unknown', 100_000, ['100000']],
  ['/nothing/at/this/path', 2, []],
  ['/api/v1/nothing', 2, []],
])(
  'whoever expects 100 Continue is refused without it where nobody wants the body: %s, %i',
  async (path, bytes, heads) => {
    const refused = await client(head(path, '203.0.113.1', 'expect: 100-continue', `content-length: ${bytes}`));
    await refused.closed;
    expect(refused.received).toMatch(/^HTTP\/1.1 404 /);
    expect(refused.received).toMatch(/\r\nconnection: close\r\n/i);
    expect([announced, asked.length]).toEqual([heads, 0]);
  },
);

it.each([
  'keep-alive: timeout=5',
  'upgrade: h2c',
  'te: trailers',
  'trailer: x',
  'proxy-connection: keep-alive',
  `${announcedBytesHeader}: 1`,
])('a header of the connection itself is kept from the service: %s', async (line) => {
  const sent = await client(`${head('/api/v1/webhooks/tok', '203.0.113.1', line, 'content-length: 2')}{}`);
  await until('it is answered', () => sent.received.includes('HTTP/1.1 '));
  expect(sent.received).toMatch(/^HTTP\/1.1 200 /);
  expect(asked.at(-1)?.headers).not.toHaveProperty(line.split(':')[0] ?? '');
});

it('while the service answers nobody, a bounded number waits, for a short time', async () => {
  silent = true;
  const stuck = [good().catch(() => 0), good().catch(() => 0)];
  await until('all connections are in use', () => asked.length === 2);
  expect(await Promise.all([good(), good(), good()])).toEqual([503, 503, 503]);
  expect(asked).toHaveLength(2);
  behind.closeAllConnections();
  expect(await Promise.all(stuck)).toEqual([503, 503]);
  silent = false;
  expect(await good()).toBe(200);
});

it('answers that nobody reads hold no connection to the service', async () => {
  for (let n = 1; n <= 10; n += 1) {
    const reader = await client(`${head('/api/v1/credentials/large', '203.0.113.1', 'content-length: 2')}{}`);
    reader.socket.pause();
    await until('it was asked for', () => asked.length === n);
  }
  expect(await good('/api/v1/credentials')).toBe(200);
});
