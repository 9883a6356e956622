import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callProvider } from './call-provider.js';
import { downloadFile } from './download-file.js';
import { providerFetch } from './provider-fetch.js';
import type { ProviderHttp } from './provider-http.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const http: ProviderHttp = { fetch: providerFetch(fetch), timeoutMs: 5_000 };
let provider: Server;
let url: string;
/** The answers of the next calls, in order; the last one stays. */
let answers: Answer[] = [];
let calls = 0;

beforeAll(async () => {
  provider = createServer((request, response) => {
    const answer = answers[Math.min(calls, answers.length - 1)];
    calls += 1;
    answer?.(request, response);
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  provider.closeAllConnections();
  await new Promise((done) => provider.close(done));
});
beforeEach(() => {
  calls = 0;
});

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(code, headers).end('{"id":1}');
const cutOff: Answer = (request) => request.socket.destroy();

describe('a call of a provider', () => {
  it.each([502, 503, 504])('that reads is sent once more after %d', async (code) => {
    answers = [status(code), status(200)];
    expect(await callProvider(http, { url })).toMatchObject({ status: 200, json: { id: 1 } });
    expect(calls).toBe(2);
  });

  it('that reads is sent once more when the connection ends before the answer', async () => {
    answers = [cutOff, status(200)];
    expect(await callProvider(http, { url })).toMatchObject({ status: 200 });
  });

  it('that writes is sent once: after a 503, and when its answer is lost, which is a time-out', async () => {
    answers = [status(503), status(200)];
    expect(await callProvider(http, { url, json: {} })).toMatchObject({ status: 503 });
    expect(calls).toBe(1);
    answers = [cutOff];
    const lost = await callProvider(http, { url, json: {} });
    expect(lost).toMatchObject({ ok: false, error: 'timeout', error_detail: { retryable: false } });
    expect(calls).toBe(2);
  });

  it('that writes what may be written twice is sent once more', async () => {
    answers = [status(503), status(200)];
    expect(await callProvider(http, { url, method: 'PUT', json: {}, repeatable: true })).toMatchObject({ status: 200 });
  });

  it('waits as long as Retry-After says, and leaves a longer wait than its time to the caller', async () => {
    answers = [status(429, { 'retry-after': '1' }), status(200)];
    const began = Date.now();
    expect(await callProvider(http, { url })).toMatchObject({ status: 200 });
    expect(Date.now() - began).toBeGreaterThanOrEqual(1_000);
    calls = 0;
    answers = [status(429, { 'retry-after': '60' })];
    expect(await callProvider(http, { url })).toMatchObject({ status: 429, headers: { 'retry-after': '60' } });
    expect(calls).toBe(1);
  });

  it('ends with all its attempts at its time-out', async () => {
    answers = [() => undefined];
    const ended = await callProvider({ ...http, timeoutMs: 300, retries: 5 }, { url });
    expect(ended).toMatchObject({ ok: false, error: 'timeout' });
    // The first has used all of the time.
    expect(calls).toBe(1);
  });

  it('gives another attempt only the time that is left', async () => {
    const times: number[] = [];
    const noting: ProviderHttp['fetch'] = (address, request) => {
      times.push(request.timeoutMs ?? 0);
      return http.fetch(address, request);
    };
    answers = [status(503), status(200)];
    await callProvider({ ...http, fetch: noting }, { url });
    expect(times).toHaveLength(2);
    expect(times[1]).toBeLessThanOrEqual(5_000 - 100);
  });

  it('that reached nobody is sent again, also where it writes, and says so', async () => {
    let attempts = 0;
    const counting: ProviderHttp['fetch'] = (address, request) => {
      attempts += 1;
      return http.fetch(address, request);
    };
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((done) => gone.close(done));
    const nobody = await callProvider(
      { ...http, fetch: counting, retries: 2 },
      { url: `http://127.0.0.1:${port}/`, json: {} },
    );
    expect(nobody).toMatchObject({ ok: false, error: 'provider_unavailable', error_detail: { retryable: true } });
    expect(attempts).toBe(3);
  });

  it('follows no redirect, with which a credential would go', async () => {
    answers = [status(302, { location: 'http://127.0.0.1:1/' })];
    expect(await callProvider(http, { url })).toMatchObject({ status: 302 });
  });

  it('whose answer is too long is lost; a file that is too long has no bytes', async () => {
    answers = [(_request, response) => response.end('x'.repeat(5_000))];
    expect(await callProvider(http, { url, maxAnswerBytes: 1_000 })).toMatchObject({ ok: false, error: 'timeout' });
    expect(calls).toBe(1);
    expect(await downloadFile(http, { url, maxBytes: 1_000 })).toMatchObject({ status: 200, bytes: null });
    expect(await downloadFile(http, { url, maxBytes: 5_000 })).toMatchObject({ bytes: { byteLength: 5_000 } });
  });
});
