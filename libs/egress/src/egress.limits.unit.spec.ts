import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { createEgress, type Egress } from './egress.js';
import { EgressError } from './egress-error.js';

let server: Server;
let base: string;
let egress: Egress;
let sockets = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.on('connection', () => sockets++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  egress = createEgress({ allow: ['127.0.0.1'], maxResponseBytes: 100_000, timeouts: { bodyIdleMs: 200 } });
});
beforeEach(() => {
  sockets = 0;
});
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  server.close();
});

const failure = async (request = {}, url = base) => {
  const outcome = await egress.fetch(url, request).catch((error: unknown) => error);
  if (!(outcome instanceof EgressError)) throw new Error('did not fail', { cause: outcome });
  return outcome;
};

describe('a response', () => {
  it('is returned whole, with its headers, over a connection that is reused', async () => {
    answer = (request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      request.pipe(response);
    };
    for (let i = 0; i < 5; i++) {
      const response = await egress.fetch(`${base}/echo?q=1`, { method: 'POST', body: `body ${i}` });
      expect(response).toMatchObject({ status: 200, truncated: false, url: `${base}/echo?q=1` });
      expect(response.body.toString()).toBe(`body ${i}`);
      expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    }
    // undici frees a socket a moment after it delivers the response: an immediate next call opens one more, once.
    expect(sockets).toBeLessThanOrEqual(2);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('in %s is decompressed', async (encoding, compress) => {
    answer = (_request, response) => response.setHeader('content-encoding', encoding).end(compress('hello'.repeat(99)));
    const response = await egress.fetch(base);
    expect(response.body.toString()).toBe('hello'.repeat(99));
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  it('may have no body, whatever its encoding says', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end();
    expect((await egress.fetch(base, { method: 'HEAD' })).body).toHaveLength(0);
    expect((await egress.fetch(base)).body).toHaveLength(0);
  });

  it('that does not decompress fails', async () => {
    answer = (_request, response) => response.setHeader('content-encoding', 'gzip').end('no gzip at all');
    expect(await failure()).toMatchObject({ code: 'response_failed', sent: true });
  });
});

describe('size', () => {
  it('is cut at the limit, or refused', async () => {
    answer = (_request, response) => response.end('x'.repeat(5_000));
    const cut = await egress.fetch(base, { maxResponseBytes: 1_000 });
    expect({ bytes: cut.body.length, truncated: cut.truncated }).toEqual({ bytes: 1_000, truncated: true });
    const exact = await egress.fetch(base, { maxResponseBytes: 5_000 });
    expect({ bytes: exact.body.length, truncated: exact.truncated }).toEqual({ bytes: 5_000, truncated: false });
    const error = await failure({ maxResponseBytes: 1_000, onTooLarge: 'fail' });
    expect(error.code).toBe('response_too_large');
  });

  /** Quickly: while it holds up this process for seconds, the server's idle connection ends. */
  const br = (plain: Buffer) => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
  it.each([
    ['gzip', gzipSync],
    ['br', br],
  ])('of a %s bomb is counted decompressed', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(64 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    answer = (_request, response) => response.setHeader('content-encoding', encoding).end(bomb);
    const response = await egress.fetch(base);
    expect({ bytes: response.body.length, truncated: response.truncated }).toEqual({ bytes: 100_000, truncated: true });
    expect((await failure({ onTooLarge: 'fail' })).code).toBe('response_too_large');
  });

  it('is counted on the wire too: empty gzip members decompress to nothing for ever', async () => {
    answer = (_request, response) => {
      const members = Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync('')));
      response.setHeader('content-encoding', 'gzip');
      const more = () => {
        while (!response.destroyed && response.write(members));
      };
      response.on('drain', more);
      more();
    };
    expect((await failure({ onTooLarge: 'fail' })).code).toBe('response_too_large');
  });

  it('of stacked encodings is the size as received: they are not undone', async () => {
    const twice = gzipSync(gzipSync('hello'));
    answer = (_request, response) => response.setHeader('content-encoding', 'gzip, gzip').end(twice);
    const response = await egress.fetch(base);
    expect(response.body.equals(twice)).toBe(true);
    expect(response.headers['content-encoding']).toBe('gzip, gzip');
  });
});

describe('time', () => {
  it('runs out for headers that never come', async () => {
    answer = () => {};
    expect(await failure({ timeoutMs: 1_000 })).toMatchObject({ code: 'timeout', sent: true });
  });

  it('runs out for a body that stalls', async () => {
    answer = (_request, response) => void response.write('x');
    expect(await failure({ timeoutMs: 20_000 })).toMatchObject({ code: 'timeout', sent: true });
  });

  it('runs out in total for a body that only trickles', async () => {
    answer = (_request, response) => {
      const trickle = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(trickle));
    };
    expect(await failure({ timeoutMs: 1_000 })).toMatchObject({ code: 'timeout', sent: true });
  });

  it('ends when the caller gives up', async () => {
    const caller = new AbortController();
    answer = () => caller.abort();
    expect(await failure({ signal: caller.signal })).toMatchObject({ code: 'aborted', sent: true });
    expect(await failure({ signal: AbortSignal.abort() })).toMatchObject({ code: 'aborted', sent: false });
  });
});

describe('a failure tells whether a server may have seen the request', () => {
  it('a closed port has not', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    expect(await failure({}, `http://127.0.0.1:${port}/`)).toMatchObject({ code: 'connect_failed', sent: false });
  });

  it('a connection that breaks half-way has', async () => {
    answer = (request) => request.socket.destroy();
    expect(await failure({ method: 'POST', body: 'x' })).toMatchObject({ code: 'response_failed', sent: true });
  });

  it('a malformed header has not', async () => {
    const error = await failure({ headers: { 'x-a': 'a\r\nHost: inside' } });
    expect(error).toMatchObject({ code: 'invalid_request', sent: false });
    expect(error.message).not.toContain('inside');
  });
});
