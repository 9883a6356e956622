import { slowClient, type SlowClient, until } from '#libs/testing';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type ConnectionLimits, ConnectionPlaces } from './connection-places.js';
import { guardRequests } from './request-guard.js';

const servers: Server[] = [];
const clients: SlowClient[] = [];
const head = 'GET / HTTP/1.1\r\nhost: x\r\n';

interface Started {
  url: string;
  /** Its requests that have no answer yet. */
  open: ServerResponse[];
  /** Resolves when nobody is connected any more. */
  close: () => Promise<void>;
}

async function start(limits: Partial<ConnectionLimits>): Promise<Started> {
  const open: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/') response.end('done');
    else open.push(response);
  });
  guardRequests(server);
  const rest = { most: 100, mostPerAddress: 100, trustedProxies: [], headMs: 300, bodyMs: 300 };
  const places = new ConnectionPlaces({ ...rest, ...limits });
  places.listen(server);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const close = (): Promise<void> => {
    places.end(server);
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, open, close };
}

async function client(url: string, text: string): Promise<SlowClient> {
  const made = await slowClient(url, text);
  clients.push(made);
  return made;
}

/** One by one, so that their order is known. */
async function several(count: number, url: string, text: string): Promise<SlowClient[]> {
  const made: SlowClient[] = [];
  for (let n = 0; n < count; n += 1) made.push(await client(url, text));
  return made;
}

/** From another address of this machine. */
function fromElsewhere(url: string, localAddress: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress });
    let received = '';
    socket.once('connect', () => socket.write(text));
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      resolve(received);
      socket.destroy();
    });
  });
}

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
});

it('an address that opens more than its share loses its own slowest head', async () => {
  const { url } = await start({ mostPerAddress: 3 });
  const slow = await several(3, url, head);
  const fourth = await client(url, `${head}\r\n`);
  await until('it is answered', () => fourth.received.includes('done'));
  await slow[0]?.closed;
  expect(slow.map(({ received }) => received.slice(9, 12))).toEqual(['408', '', '']);
});

it('of several addresses the one with most connections without a request gives way', async () => {
  const { url } = await start({ most: 6 });
  const slow = await several(5, url, head);
  const [mine, other] = [
    fromElsewhere(url, '127.0.0.2', `${head}\r\n`),
    fromElsewhere(url, '127.0.0.3', `${head}\r\n`),
  ];
  expect([await mine, await other].map((text) => text.slice(9, 12))).toEqual(['200', '200']);
  await slow[0]?.closed;
});

it('a slow head goes before an idle connection, also when the head is the second of its connection', async () => {
  const { url } = await start({ mostPerAddress: 3 });
  const idle = await several(2, url, `${head}\r\n`);
  await until('both were answered', () => idle.every(({ received }) => received.includes('done')));
  const second = await client(url, `${head}\r\n`);
  await until('it was answered', () => second.received.includes('done'));
  second.received = '';
  second.socket.write(head);
  // Only once the server has read that half of a head is it slow: another connection's answer is no proof of it.
  await until('the half is read', async () => {
    const asked = await client(url, `${head}\r\n`);
    await until('it was answered', () => asked.received.includes('done'));
    return second.received !== '' || idle.some(({ socket }) => socket.destroyed);
  });
  expect(second.received).toMatch(/^HTTP\/1.1 408 /);
});

it('while all are busy with requests, one more is refused, and shown which limit', async () => {
  const { url, open } = await start({ mostPerAddress: 2 });
  const busy = await several(2, url, `${head.replace('/ ', '/slow ')}\r\n`);
  await until('both are being answered', () => open.length === 2);
  const refused = await client(url, `${head}\r\n`);
  await refused.closed;
  expect(refused.received).toMatch(/^HTTP\/1.1 429 [^]*retry-after: 2[^]*HTTP_CONNECTIONS_PER_ADDRESS/);
  for (const response of open) response.end('done');
  await until('they were answered', () => busy.every(({ received }) => received.includes('done')));
  const next = await client(url, `${head}\r\n`);
  await until('it is answered', () => next.received.includes('done'));
});

it('while all of the server are busy, one more is 503', async () => {
  const { url, open } = await start({ most: 2 });
  await several(2, url, `${head.replace('/ ', '/slow ')}\r\n`);
  await until('both are being answered', () => open.length === 2);
  const refused = await client(url, `${head}\r\n`);
  await refused.closed;
  expect(refused.received).toMatch(/^HTTP\/1.1 503 [^]*HTTP_MAX_CONNECTIONS/);
});

it('connections of a trusted proxy have no limit of their own, and are not closed', async () => {
  const { url } = await start({ mostPerAddress: 2, most: 6, trustedProxies: ['loopback'] });
  const proxied = await several(6, url, head);
  const refused = await client(url, `${head}\r\n`);
  await refused.closed;
  expect(refused.received).toMatch(/^HTTP\/1.1 503 /);
  expect(proxied.every(({ received, socket }) => received === '' && !socket.destroyed)).toBe(true);
});

it('two requests on one connection make it no less able to give way', async () => {
  const { url } = await start({ mostPerAddress: 1 });
  const twice = await client(url, `${head}\r\n${head}\r\n`);
  await until('both were answered', () => twice.received.split('done').length === 3);
  const next = await client(url, `${head}\r\n`);
  await until('it is answered', () => next.received.includes('done'));
});

describe('a server that closes', () => {
  it.each([
    ['that sent nothing', ''],
    ['whose head has begun', head],
    ['whose body has begun', 'POST /held HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nbody'],
  ])('ends a connection %s', async (_what, text) => {
    const { url, close } = await start({});
    const connected = new Promise((resolve) => servers[0]?.once('connection', resolve));
    const { closed } = await client(url, text);
    await connected;
    await Promise.all([close(), closed]);
  });

  it('ends a connection when its answer has been sent, whether its head had been or not', async () => {
    const { url, open, close } = await start({});
    const both = await several(2, url, `GET /held HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until('both requests came', () => open.length === 2);
    open[0]?.writeHead(200, { 'content-length': 4 }).write('do');
    await until('the head came', () => both.some(({ received }) => received.includes('do')));
    const ended = close();
    await until('it is closing', () => open[1]?.shouldKeepAlive === false);
    open[0]?.end('ne');
    open[1]?.end('done');
    await ended;
    expect(both.map(({ received }) => received)).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 [^]*done$/),
      expect.stringMatching(/^HTTP\/1\.1 200 [^]*done$/),
    ]);
    expect(both.filter(({ received }) => /^connection: close/im.test(received))).toHaveLength(1);
  });
});
