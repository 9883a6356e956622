import { slowClient, type SlowClient, until } from '#libs/testing';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerHalfClosed } from './half-closed.js';
import { refuseUnreadable } from './parser-refusals.js';
import { guardRequests } from './request-guard.js';
import { sendContinue } from './unread-body.js';

const long = Buffer.alloc(30_000_000, 'x');
let server: Server;
let url: string;
let clients: SlowClient[] = [];
let sockets: Socket[] = [];
/** Paths of the requests that were begun. */
let begun: string[] = [];

async function start(listener: RequestListener, options: ServerOptions = {}): Promise<void> {
  server = createServer({ requireHostHeader: false, ...options }, (request, response) => {
    begun.push(request.url ?? '');
    listener(request, response);
  });
  server.on('clientError', refuseUnreadable);
  server.on('connection', (socket) => sockets.push(socket));
  guardRequests(server);
  answerHalfClosed(server, 5_000);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  clients = [];
  sockets = [];
  begun = [];
});

const get = (path: number): string => `GET /${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const paths = (count: number): string[] => numbers(count).map((at) => `/${at}`);
const answers = ({ received }: SlowClient): string[] => received.match(/<[^>]*>/g) ?? [];
/** Answers each request in a later turn of the loop, with its address. */
const soon: RequestListener = (request, response) => void setImmediate(() => response.end(`<${request.url}>`));

async function client(opening: string): Promise<SlowClient> {
  const made = await slowClient(url, opening);
  clients.push(made);
  return made;
}

it('a client that reads nothing has one answer made, and gets the others when it reads', async () => {
  await start((_request, response) => response.end(long));
  const silent = await client(numbers(10).map(get).join(''));
  silent.socket.pause();
  await until('one is begun', () => begun.length > 0);
  // Another client is answered meanwhile, as often as the first one asked.
  for (const at of numbers(10)) expect((await fetch(`${url}/other${at}`)).status).toBe(200);
  expect(begun.filter((path) => !path.startsWith('/other'))).toEqual(['/0']);
  let bytes = 0;
  silent.socket.removeAllListeners('data');
  silent.socket.on('data', (chunk) => (bytes += chunk.length));
  silent.socket.resume();
  await until('all is read', () => bytes > 10 * long.length);
  expect(begun.filter((path) => !path.startsWith('/other'))).toEqual(paths(10));
}, 60_000);

it('requests that come together are answered in their order, with their bodies', async () => {
  await start((request, response) => {
    sendContinue(request);
    void text(request).then((body) => setImmediate(() => response.end(`<${request.url} ${body}>`)));
  });
  const post = (at: number): string =>
    `POST /${at} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\nbody`;
  const made = await client(
    numbers(20)
      .map((at) => (at % 2 === 0 ? get(at) : post(at)))
      .join(''),
  );
  await until('all are answered', () => made.received.split('HTTP/1.1 200').length === 21);
  expect(answers(made)).toEqual(numbers(20).map((at) => `</${at} ${at % 2 === 0 ? '' : 'body'}>`));
  expect(begun).toEqual(paths(20));
});

it('while a request waits no more of its connection is read, and then all of it', async () => {
  const waiting: (() => void)[] = [];
  await start((request, response) => {
    void text(request).then((body) => {
      const answer = (): void => void response.end(`<${request.url} ${body.length}>`);
      if (request.url === '/0') waiting.push(answer);
      else answer();
    });
  });
  const body = 'x'.repeat(100_000);
  const post = (at: number): string =>
    `POST /${at} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const eager = await client(numbers(300).map(post).join(''));
  await until('the first one is begun', () => waiting.length === 1);
  const other = await client(numbers(5_000).map(get).join(''));
  await until('another one is begun', () => waiting.length === 2);
  for (const answer of waiting) {
    expect(sockets.every(({ bytesRead }) => bytesRead < 1_000_000)).toBe(true);
    answer();
  }
  await until('all are answered', () => [eager, other].every((each, at) => answers(each).length === [300, 5_000][at]));
  expect(answers(eager)).toEqual(numbers(300).map((at) => `</${at} ${body.length}>`));
  expect(answers(other)).toEqual(numbers(5_000).map((at) => `</${at} 0>`));
}, 60_000);

it('what waits when its client goes is never begun', async () => {
  let answer = (): void => undefined;
  await start((_request, response) => {
    answer = () => response.end(long);
  });
  const leaving = await client(numbers(5).map(get).join(''));
  await until('one is begun', () => begun.length === 1);
  leaving.socket.resetAndDestroy();
  answer();
  await until('it has gone', () => sockets[0]?.destroyed);
  await client('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await until('another one is begun', () => begun.length > 1);
  expect(begun).toEqual(['/0', '/']);
});

it.each([
  ['no Host header', 'GET /1 HTTP/1.1\r\n\r\n', 400, 'invalid_host'],
  ['an unknown expectation', 'GET /1 HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n', 417, 'unknown_expectation'],
  [
    'a body that cannot be read',
    'POST /1 HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nnonsense\r\n',
    400,
    'invalid_http',
  ],
])('a request with %s that waits is refused in its turn', async (_what, second, status, code) => {
  await start(soon);
  const refused = await client(`${get(0)}${second}${get(2)}`);
  await refused.closed;
  const [first, next = '', ...more] = refused.received.split(/(?=HTTP\/1\.1 )/);
  expect(first).toContain('</0>');
  expect(next.slice(9, 12)).toBe(String(status));
  expect([next.includes(code), more]).toEqual([true, []]);
  expect(begun).toEqual(['/0']);
});

it('a body that is late because its request waits ends no answer before it', async () => {
  let answer = (): void => undefined;
  let late = false;
  await start(
    (request, response) => {
      answer = () => response.end(`<${request.url}>`);
    },
    { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 20 },
  );
  server.prependListener('clientError', () => (late = true));
  const made = await client(`${get(0)}POST /1 HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nbody`);
  await until('it is late', () => late);
  answer();
  await made.closed;
  expect(made.received).toMatch(/^HTTP\/1\.1 200 [^]*<\/0>HTTP\/1\.1 408 /);
  expect(begun).toEqual(['/0']);
});

it('after an answer that closes the connection nothing is begun, and the answer arrives', async () => {
  await start((request, response) => {
    if (request.url === '/1') response.setHeader('connection', 'close');
    soon(request, response);
  });
  const made = await client(numbers(4).map(get).join(''));
  await made.closed;
  expect(answers(made)).toEqual(paths(2).map((path) => `<${path}>`));
  expect(begun).toEqual(paths(2));
});

it('a client that asks and ends its side has all answers, and then the end', async () => {
  await start(soon);
  const made = await client(numbers(5).map(get).join(''));
  made.socket.end();
  await made.closed;
  expect(answers(made)).toEqual(paths(5).map((path) => `<${path}>`));
});

it('the last request that a connection may have is answered, and none after it is begun', async () => {
  await start(soon);
  server.maxRequestsPerSocket = 2;
  const made = await client(numbers(4).map(get).join(''));
  await made.closed;
  expect([answers(made), begun]).toEqual([paths(2).map((path) => `<${path}>`), paths(2)]);
  expect(made.received).toMatch(/connection: close/i);
});

it('requests after one that asks for another protocol are answered', async () => {
  await start(soon);
  const upgrade = 'GET /0 HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
  const made = await client(upgrade);
  await until('it is answered', () => answers(made).length === 1);
  made.socket.write(`${get(1)}${get(2)}`);
  await until('all are answered', () => answers(made).length === 3);
  expect(begun).toEqual(paths(3));
});

it('a connection is not idle while a request waits', async () => {
  const held: (() => void)[] = [];
  await start((request, response) => {
    if (request.url === '/9') response.end();
    else held.push(() => response.end(`<${request.url}>`));
  });
  server.keepAliveTimeout = 1;
  server.keepAliveTimeoutBuffer = 1;
  const made = await client(numbers(3).map(get).join(''));
  for (const at of numbers(3)) {
    await until('its turn has come', () => held.length > at);
    // Meanwhile one that is idle ends.
    const idle = await client(get(9));
    await idle.closed;
    held[at]?.();
  }
  await made.closed;
  expect(answers(made)).toEqual(paths(3).map((path) => `<${path}>`));
});
