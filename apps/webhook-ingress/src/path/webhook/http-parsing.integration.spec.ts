import { announcedBytesHeader, bodyRoomHeader, portalHopHeader } from '#libs/contracts';
import { ServiceTokens } from '#libs/service-kit';
import { slowClient, testServiceKey, until } from '#libs/testing';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

let world: IngressWorld;

beforeAll(async () => {
  world = await openIngress({ endpoints: [endpoint('open'), endpoint('small', { max_body_bytes: 1_024 })] });
  await world.start();
});
afterAll(() => world.close());

/** Sends text over a connection of its own. @returns all that came until the other side closed */
async function answerTo(text: string): Promise<string> {
  const client = await slowClient(world.url, text);
  await client.closed;
  return client.received;
}

const head = (token = 'open', ...more: string[]): string =>
  [`POST /api/v1/webhooks/${token} HTTP/1.1`, 'host: x', 'content-type: application/json', ...more].join('\r\n');

describe('a body over the limit', () => {
  it.each([
    ['open', 1_048_577],
    ['open', 20_000_000],
    ['small', 1_025],
  ])('is 413 from its declared length before it comes, and closes: %s, %i bytes', async (token, bytes) => {
    const answer = await answerTo(`${head(token, `content-length: ${bytes}`)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain('"error":"body_too_large"');
  });

  it.each(['content-length: 20000000', 'transfer-encoding: chunked'])(
    'is answered to a client that sends 20 MB before it reads: %s',
    async (length) => {
      const client = await slowClient(world.url, `${head('open', length)}\r\n\r\n`);
      client.socket.pause();
      const mega = Buffer.alloc(1_000_000, 'x');
      for (let sent = 0; sent < 20; sent += 1) {
        if (length.startsWith('transfer')) client.socket.write(`${mega.length.toString(16)}\r\n`);
        client.socket.write(mega);
        if (length.startsWith('transfer')) client.socket.write('\r\n');
      }
      if (length.startsWith('transfer')) client.socket.write('0\r\n\r\n');
      await until('all of it is sent', () => client.socket.writableLength === 0);
      client.socket.resume();
      await client.closed;
      expect(client.received).toMatch(/^HTTP\/1.1 413 /);
    },
  );
});

describe('Expect: 100-continue', () => {
  it('is answered before the body is sent', async () => {
    const client = await slowClient(world.url, `${head('open', 'expect: 100-continue', 'content-length: 2')}\r\n\r\n`);
    await until('it may go on', () => client.received.startsWith('HTTP/1.1 100 '));
    client.socket.write('{}');
    await until('it is answered', () => client.received.includes('HTTP/1.1 200 '));
    client.socket.destroy();
  });

  it.each([
    ['open', 'content-length: 20000000', 413],
    ['unknown', 'content-length: 2', 404],
  ])('is not answered where the body is not wanted: %s, %s', async (token, length, status) => {
    const answer = await answerTo(`${head(token, 'expect: 100-continue', length)}\r\n\r\n`);
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });

  it('is the only expectation: others are 417', async () => {
    const answer = await answerTo(`${head('open', 'expect: a-miracle', 'content-length: 2')}\r\n\r\n{}`);
    expect(answer).toMatch(/^HTTP\/1.1 417 /);
    expect(answer).toContain('"code":"unknown_expectation"');
  });
});

describe('what is not HTTP/1.1', () => {
  const get = (...lines: string[]): string => ['GET /api/v1/webhooks/open HTTP/1.1', ...lines, '', ''].join('\r\n');

  it.each([
    ['two different hosts', 400, 'invalid_host', get('host: a', 'host: b')],
    ['the same host twice', 400, 'invalid_host', get('host: a', 'Host: a')],
    ['no host', 400, 'invalid_host', get('x: y')],
    [
      'a transfer coding besides chunks',
      501,
      'unknown_transfer_coding',
      `${head('open', 'transfer-encoding: gzip, chunked')}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a host that is none', 400, 'invalid_host', get('host: a/b@c')],
    ['headers that are too long', 431, 'headers_too_large', get('host: x', `x-long: ${'y'.repeat(40_000)}`)],
    ['an address that is too long', 431, 'headers_too_large', `GET /${'y'.repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['a method that is none', 400, 'invalid_http', 'GIVE / HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['two lengths', 400, 'invalid_http', `${head('open', 'content-length: 1', 'content-length: 2')}\r\n\r\nxx`],
    ['a length that is none', 400, 'invalid_http', `${head('open', 'content-length: -1')}\r\n\r\n`],
    ['a chunk without a length', 400, 'invalid_http', `${head('open', 'transfer-encoding: chunked')}\r\n\r\nzz\r\n`],
    ['a version that is not spoken', 505, 'unsupported_version', get('host: x').replace('1.1', '2.0')],
    ['another one', 505, 'unsupported_version', get('host: x').replace('1.1', '1.2')],
    ['HTTP/2 without an upgrade', 505, 'unsupported_version', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a tunnel', 405, 'method_not_allowed', 'CONNECT a.example:443 HTTP/1.1\r\nhost: a.example:443\r\n\r\n'],
    ['an address without a host', 400, 'invalid_host', get('host: x').replace(' /', ' http:///')],
    ['an address with a name and password', 400, 'invalid_host', get('host: x').replace(' /', ' http://u:p@x/')],
    ['something else', 400, 'invalid_http', '\u0016\u0003\u0001 hello\r\n\r\n'],
  ])('%s is %i %s as problem+json', async (_what, status, code, text) => {
    const [top = '', body = ''] = (await answerTo(text)).split('\r\n\r\n');
    expect(top.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    expect(top).toMatch(/\r\ncontent-type: application\/problem\+json/i);
    expect(top).toMatch(/\r\nconnection: close/i);
    expect(JSON.parse(body)).toMatchObject({ status, code, type: `urn:gatehouse:problem:${code}` });
  });

  it('is refused after the request before it was answered', async () => {
    const answer = await answerTo(`${head('open', 'content-length: 2')}\r\n\r\n{}GIVE / HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 200 [^]*HTTP\/1.1 400 /);
  });

  it.each(['http://a.example', 'HTTPS://A.EXAMPLE:8443', 'http://[::1]:80'])(
    'is not an address with its host, as clients of proxies send it: %s',
    async (origin) => {
      const text = head('open', 'content-length: 2', 'connection: close').replace(' /', ` ${origin}/`);
      expect(await answerTo(`${text}\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 200 /);
      expect(await answerTo(`GET ${origin} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).toContain('not_found');
    },
  );

  it('may still be HTTP/1.0 without a host', async () => {
    expect(await answerTo('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a body that the portal announces', () => {
  const announce = async (path: string, bytes: number, hop: Record<string, string>): Promise<Response> =>
    fetch(`${world.url}${path}`, { method: 'OPTIONS', headers: { ...hop, [announcedBytesHeader]: String(bytes) } });
  const portal = async (): Promise<Record<string, string>> => ({
    [portalHopHeader]: await new ServiceTokens(testServiceKey, 'portal').asService('webhook-ingress'),
  });

  it.each([
    ['/api/v1/webhooks/open', 1_000_000, 200, '1048576'],
    ['/api/v1/webhooks/small', 1_025, 413, '0'],
    ['/api/v1/webhooks/unknown', 1, 404, '0'],
    ['/api/v1/refusals', 1_000_000, 200, '2097152'],
    ['/api/v1/refusals', 3_000_000, 413, '0'],
  ])('for %s, of %i bytes, is answered %i with room for %s', async (path, bytes, status, room) => {
    const answer = await announce(path, bytes, await portal());
    expect([answer.status, answer.headers.get(bodyRoomHeader)]).toEqual([status, room]);
  });

  it('is announced by nobody else', async () => {
    const answer = await announce('/api/v1/webhooks/open', 1, {});
    expect([answer.status, answer.headers.get(bodyRoomHeader)]).toEqual([405, null]);
  });
});
