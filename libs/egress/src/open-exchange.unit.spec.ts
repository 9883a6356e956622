import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createEgress, type Egress, EgressError } from './index.js';

let server: Server;
let egress: Egress;
let base: string;
let closed = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    response.on('close', () => (closed += 1));
    if (request.url === '/silent') return;
    if (request.url === '/in-pieces') {
      response.writeHead(200, { 'content-length': 4_000_000 });
      return void response.end(Buffer.alloc(4_000_000));
    }
    if (request.url === '/redirect') return void response.writeHead(302, { location: '/' }).end();
    if (request.url === '/bomb') {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      return void response.end(gzipSync(Buffer.alloc(5_000_000)));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('one');
    if (request.url === '/endless') {
      const timer = setInterval(() => response.write(Buffer.alloc(65_536)), 1);
      response.on('close', () => clearInterval(timer));
    }
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  egress = createEgress({ allow: ['127.0.0.1'] });
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await egress.close();
});

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof EgressError ? error.code : String(error)),
  );

async function readAll(body: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}

describe('a streamed answer', () => {
  it('is handed over with its headers, and its socket is closed when nobody wants the rest', async () => {
    const before = closed;
    const { status, headers, body } = await egress.open(`${base}/stream`);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/event-stream' });
    const reader = body.getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value!).toString()).toBe('one');
    await reader.cancel();
    while (closed === before) await new Promise((resolve) => setImmediate(resolve));
  });

  it.each(['/endless', '/bomb'])('of %s ends at the limit', async (path) => {
    const { body } = await egress.open(`${base}${path}`, { maxResponseBytes: 1_000_000 });
    expect(await codeOf(readAll(body))).toBe('response_too_large');
  });

  it('arrives whole when its reader is faster than its sender', async () => {
    const { body } = await egress.open(`${base}/in-pieces`);
    expect(await readAll(body)).toBe(4_000_000);
  });

  it('ends when it sends nothing for too long', async () => {
    const { body } = await egress.open(`${base}/stream`, { bodyIdleMs: 50 });
    expect(await codeOf(readAll(body))).toBe('timeout');
  });

  it('ends with the caller, before and after its headers', async () => {
    const early = new AbortController();
    const waiting = codeOf(egress.open(`${base}/silent`, { signal: early.signal }));
    early.abort();
    expect(await waiting).toBe('aborted');
    const late = new AbortController();
    const { body } = await egress.open(`${base}/stream`, { signal: late.signal });
    late.abort();
    expect(await codeOf(readAll(body))).toBe('aborted');
  });

  it('is refused like any other: no headers in time, an address that is not public', async () => {
    expect(await codeOf(egress.open(`${base}/silent`, { timeoutMs: 50 }))).toBe('timeout');
    const closedEgress = createEgress();
    expect(await codeOf(closedEgress.open(`${base}/stream`))).toBe('blocked_address');
    await closedEgress.close();
  });

  it('follows no redirect', async () => {
    const { status, body } = await egress.open(`${base}/redirect`);
    await body.cancel();
    expect(status).toBe(302);
  });
});
