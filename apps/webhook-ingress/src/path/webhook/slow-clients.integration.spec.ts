import { sendByByte, slowClient, type SlowClient, until } from '#libs/testing';
import type { IngressSettings } from '../../env.js';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

let world: IngressWorld;
let url: string;

/** @returns its address */
const start = async (limits: Partial<IngressSettings>): Promise<string> => (await world.start(limits)).getUrl();

beforeAll(async () => {
  world = await openIngress({ endpoints: [endpoint('open')] });
  url = await start({ HTTP_HEADERS_TIMEOUT_MS: 1_500, HTTP_REQUEST_TIMEOUT_MS: 1_500 });
});
afterAll(() => world.close());

const head = 'POST /api/v1/webhooks/open HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const post = (at = url): Promise<Response> => world.post('open', '{"task":"hi"}', {}, at);

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

it('connections whose heads never end give way to others when all are taken', async () => {
  const crowded = await start({ HTTP_MAX_CONNECTIONS: 20 });
  const clients = await Promise.all(Array.from({ length: 20 }, () => slowClient(crowded, head)));
  expect((await post(crowded)).status).toBe(200);
  await clients[0]?.closed;
  expect(clients[0]?.received).toMatch(/^HTTP\/1.1 408 [^]*request_timeout/);
  expect(clients.filter(({ received }) => received !== '')).toHaveLength(1);
  for (const { socket } of clients) socket.destroy();
});

it('an address that keeps all of its connections busy is shown which limit, unless it is a trusted proxy', async () => {
  const limits = { HTTP_CONNECTIONS_PER_ADDRESS: 5 };
  const body = `${head}expect: 100-continue\r\ncontent-length: 9\r\n\r\n`;
  const busyAt = async (at: string, count: number): Promise<SlowClient[]> => {
    const clients = await Promise.all(Array.from({ length: count }, () => slowClient(at, body)));
    await until('all bodies are awaited', () => clients.every(({ received }) => received.includes(' 100 ')));
    return clients;
  };
  const narrow = await start(limits);
  const busy = await busyAt(narrow, 5);
  const oneMore = await slowClient(narrow, head);
  await oneMore.closed;
  expect(oneMore.received).toMatch(/^HTTP\/1.1 429 [^]*too_many_connections[^]*HTTP_CONNECTIONS_PER_ADDRESS/);
  const trusting = await start({ ...limits, TRUSTED_PROXIES: ['loopback'] });
  busy.push(...(await busyAt(trusting, 9)));
  expect((await post(trusting)).status).toBe(200);
  for (const { socket } of busy) socket.destroy();
});
