import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEgress, type Egress, type EgressSettings } from './egress.js';
import { EgressError } from './egress-error.js';

/** A real server on every local address: a call that connects was not stopped. */
let server: Server;
let port: number;
let connections = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const opened: Egress[] = [];

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.on('connection', () => connections++);
  server.listen(0);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  connections = 0;
  answer = (_request, response) => response.end('inside');
});
afterEach(() => Promise.all(opened.splice(0).map((egress) => egress.close())));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const egressWith = (settings: EgressSettings) => {
  const egress = createEgress({ timeouts: { connectMs: 20_000, totalMs: 30_000 }, ...settings });
  opened.push(egress);
  return egress;
};
const failure = async (egress: Egress, url: string, request = {}) => {
  const outcome = await egress.fetch(url, request).catch((error: unknown) => error);
  if (!(outcome instanceof EgressError)) throw new Error(`${url} was not refused`, { cause: outcome });
  return outcome;
};

describe('without an allow-list, no spelling of an internal address is connected to', () => {
  it.each(
    `127.0.0.1 127.1 0177.0.0.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001 127.0.0.1. 0 0.0.0.0
     127.000.000.001 １２７.０.０.１ ①②⑦.0.0.1 127。0。0。1 %31%32%37.0.0.1 [::] [::1] [0:0:0:0:0:0:0:1]
     [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::127.0.0.1]
     [2002:7f00:1::] [2001:0:7f00:1::] [::ffff:0:127.0.0.1] localhost LOCALHOST ｌｏｃａｌｈｏｓｔ 10.0.0.1
     192.168.0.1 [fe80::1] [fd00::1] 169.254.169.254 [::ffff:169.254.169.254] [fd00:ec2::254]
     100.100.100.200 0xA9FEA9FE`.split(/\s+/),
  )('%s', async (host) => {
    const error = await failure(egressWith({}), `http://${host}:${port}/`);
    expect(error).toMatchObject({ code: 'blocked_address', sent: false });
    expect(connections).toBe(0);
  });
});

describe('names', () => {
  it('with a trailing dot are classified, and matched by the allow-list, like those without', async () => {
    const resolve = async () => ['127.0.0.1'];
    const url = `http://localhost.:${port}/`;
    expect((await failure(egressWith({ resolve }), url)).code).toBe('blocked_address');
    expect((await egressWith({ resolve, allow: ['localhost'] }).fetch(url)).status).toBe(200);
  });

  it.each([
    ['one private answer', ['127.0.0.1']],
    ['a private answer among public ones', ['93.184.215.14', '127.0.0.1']],
    ['a private IPv6 answer among public ones', ['93.184.215.14', '::1']],
    ['an answer with a zone', ['fe80::1%lo']],
    ['an answer that is no address', ['localhost']],
  ])('are refused for %s', async (_what, addresses) => {
    const egress = egressWith({ resolve: async () => addresses });
    expect((await failure(egress, `http://evil.test:${port}/`)).code).toBe('blocked_address');
    expect(connections).toBe(0);
  });

  it('connect to exactly the addresses that were classified, even if the next answer differs', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const egress = egressWith({ allow: ['127.0.0.1/32'], resolve: async () => answers[asked++] ?? [] });
    let reached: string | undefined;
    answer = (request, response) => {
      reached = request.socket.localAddress;
      response.setHeader('connection', 'close').end('inside');
    };
    await egress.fetch(`http://rebind.test:${port}/`);
    expect(reached).toContain('127.0.0.1');
    expect(asked).toBe(1);
    // The connection is closed; the next one is classified again.
    expect((await failure(egress, `http://rebind.test:${port}/`)).code).toBe('blocked_address');
    expect({ asked, connections }).toEqual({ asked: 2, connections: 1 });
  });

  it('that do not resolve, or resolve to nothing, are reported', async () => {
    const broken = egressWith({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    expect((await failure(broken, 'http://gone.test/')).code).toBe('dns_failed');
    expect((await failure(egressWith({ resolve: async () => [] }), 'http://gone.test/')).code).toBe('dns_failed');
  });

  it('whose answer never comes end as a timeout', async () => {
    const egress = egressWith({ timeouts: { connectMs: 500 }, resolve: () => new Promise(() => {}) });
    expect(await failure(egress, 'http://slow.test/', { timeoutMs: 50 })).toMatchObject({
      code: 'timeout',
      sent: false,
    });
  });
});

describe('the allow-list', () => {
  it.each([
    ['host:port', () => [`127.0.0.1:${port}`], '127.0.0.1'],
    ['host', () => ['localhost'], 'LOCALHOST'],
    ['block', () => ['127.0.0.0/8', '::1'], 'localhost'],
    ['IPv6 literal', () => [`[::1]:${port}`], '[::1]'],
    ['address carried in IPv6', () => ['127.0.0.1'], '[::ffff:127.0.0.1]'],
  ])('opens a %s', async (_what, allow, host) => {
    const response = await egressWith({ allow: allow() }).fetch(`http://${host}:${port}/`);
    expect({ status: response.status, body: response.body.toString() }).toEqual({ status: 200, body: 'inside' });
  });

  it('opens only the named port', async () => {
    const egress = egressWith({ allow: [`127.0.0.1:${port + 1}`] });
    expect((await failure(egress, `http://127.0.0.1:${port}/`)).code).toBe('blocked_address');
  });

  it('opens no metadata address, not even by a name that was allowed', async () => {
    const allow = ['meta.test', '0.0.0.0/0', '169.254.169.254'];
    const egress = egressWith({ allow, resolve: async () => ['169.254.169.254'] });
    expect((await failure(egress, 'http://meta.test/')).code).toBe('blocked_address');
    expect((await failure(egress, 'http://169.254.169.254/latest/meta-data/')).code).toBe('blocked_address');
  });
});

describe('redirects', () => {
  const to = (location: string, status = 302) => {
    answer = (request, response) =>
      request.url === '/start' ? response.writeHead(status, { location }).end() : response.end(request.url);
  };
  const outside = () => egressWith({ allow: [`outside.test:${port}`], resolve: async () => ['127.0.0.1'] });

  it.each(['127.0.0.1', '[::1]', '2130706433', 'inside.test'])('into %s are not followed', async (host) => {
    to(`http://${host}:${port}/secret`);
    const error = await failure(outside(), `http://outside.test:${port}/start`);
    expect(error).toMatchObject({ code: 'blocked_address', sent: true });
    expect(connections).toBe(1);
  });

  it.each(['file:///etc/passwd', 'http://user:pw@outside.test/'])('to %s are refused', async (location) => {
    to(location);
    expect((await failure(outside(), `http://outside.test:${port}/start`)).code).toBe('blocked_redirect');
  });

  it('carry no credential to another origin', async () => {
    const seen: IncomingMessage['headers'][] = [];
    answer = (request, response) => {
      seen.push(request.headers);
      if (request.url !== '/start') return void response.end('arrived');
      response.writeHead(302, { location: `http://other.test:${port}/end` }).end();
    };
    const allow = [`outside.test:${port}`, `other.test:${port}`];
    const egress = egressWith({ allow, resolve: async () => ['127.0.0.1'] });
    const headers = { authorization: 'Bearer s', cookie: 's', 'x-api-key': 's', accept: 'text/plain' };
    const response = await egress.fetch(`http://outside.test:${port}/start`, { headers });
    expect(response.url).toBe(`http://other.test:${port}/end`);
    expect(seen[0]).toMatchObject(headers);
    expect(seen[1]).toMatchObject({ accept: 'text/plain' });
    expect(Object.keys(seen[1] ?? {})).not.toEqual(expect.arrayContaining(['authorization']));
    expect(JSON.stringify(seen[1])).not.toMatch(/cookie|x-api-key/);
  });

  it('end after three', async () => {
    let asked = 0;
    answer = (_request, response) => response.writeHead(302, { location: `/${++asked}` }).end();
    const url = `http://outside.test:${port}/start`;
    expect((await failure(outside(), url)).code).toBe('too_many_redirects');
    expect(asked).toBe(4);
    expect((await outside().fetch(url, { maxRedirects: 0 })).status).toBe(302);
  });
});
