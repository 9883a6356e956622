import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verify as octokitVerify } from '@octokit/webhooks-methods';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { createAdapterServer, type JsonObject } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createGenericAdapter } from './generic.adapter.js';
import { HASTY_MS, PATIENT_MS } from '../testing/patience.js';

const SECRET = Buffer.alloc(24, 3).toString('base64');
const TOKEN = 'canary-90aa13-token';

interface Seen {
  headers: IncomingMessage['headers'];
  text: string;
  json: JsonObject;
}

let sink: Server;
let address: string;
let seen: Seen[];
let respond: (response: ServerResponse, request: Seen) => void;
const egress = createEgress({ allow: ['127.0.0.1'] });
const serve = (timeoutMs: number) =>
  createAdapterServer([createGenericAdapter({ fetch: egress.fetch, timeoutMs, maxLength: 10 })], {
    version: 'test',
    logger: pino({ level: 'silent' }),
  });
const app = serve(PATIENT_MS);

beforeAll(async () => {
  sink = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const entry = { headers: request.headers, text, json: JSON.parse(text) };
      seen.push(entry);
      respond(response, entry);
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/hook`;
});
beforeEach(() => {
  seen = [];
  respond = (response) => response.end();
});
afterAll(async () => {
  await egress.close();
  sink.closeAllConnections();
  await new Promise((resolve) => sink.close(resolve));
});

async function deliver(changes: JsonObject = {}, message: JsonObject = {}, server = app) {
  const credentials = { signing_secret: SECRET, token: TOKEN };
  const payload = {
    credentials,
    channel_address: address,
    message: { text: 'hello', ...message },
    idempotency_key: 'key-1',
    ...changes,
  };
  const answer = await server.inject({ method: 'POST', url: '/generic/deliver', payload });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).not.toContain(TOKEN);
  expect(answer.body).not.toContain(SECRET);
  return answer.json<JsonObject & { error_detail?: JsonObject }>();
}

describe('delivering', () => {
  it('posts the message once, with both signatures, which independent libraries accept', async () => {
    respond = (response) => response.end('{"id":"m-9","thread_id":"t-9"}');
    const result = await deliver(
      {},
      { reply_context: { message_id: '42' }, attachments: [{ id: 'f' }], format: 'plain' },
    );
    expect(result).toEqual({
      ok: true,
      message_id: 'm-9',
      thread_id: 't-9',
      channel_address: address,
      parts: [{ message_id: 'm-9' }],
      fallback: null,
    });
    expect(seen).toHaveLength(1);
    const [{ headers, text, json }] = seen as [Seen];
    expect(json).toMatchObject({
      text: 'hello',
      format: 'plain',
      in_reply_to: '42',
      attachments: [{ id: 'f' }],
      idempotency_key: 'key-1',
    });
    expect(headers).toMatchObject({
      'idempotency-key': 'key-1',
      'webhook-id': 'key-1',
      authorization: `Bearer ${TOKEN}`,
    });
    expect(new Webhook(SECRET).verify(text, headers as Record<string, string>)).toEqual(json);
    expect(await octokitVerify(SECRET, text, String(headers['x-signature-256']))).toBe(true);
  });

  it('is recognised as its own message when a server sends it back, by its headers or by its body alone', async () => {
    await deliver();
    const [{ headers, text }] = seen as [Seen];
    const parse = async (request: JsonObject) =>
      (
        await app.inject({
          method: 'POST',
          url: '/generic/parse-inbound',
          payload: { credentials: { signing_secret: SECRET }, request },
        })
      ).json<JsonObject>();
    const own = { is_bot: true, metadata: { is_self: true } };
    expect(await parse({ headers, body: text })).toMatchObject(own);
    expect(await parse({ headers: {}, body: text })).toMatchObject(own);
    expect(
      await parse({ headers: { 'x-gatehouse-origin': headers['x-gatehouse-origin'] ?? '' }, body: 'quoted' }),
    ).toMatchObject(own);
    expect(await parse({ headers: {}, body: '{"text":"hello"}' })).toMatchObject({ is_bot: false });
  });

  it('names the message by message_id, or by its own key when the answer names none', async () => {
    respond = (response) => response.end('{"message_id":17}');
    expect((await deliver()).message_id).toBe('17');
    respond = (response) => response.end('accepted');
    expect((await deliver()).message_id).toBe('key-1');
  });

  it('sends no signature when no secret is set, but always the marker', async () => {
    await deliver({ credentials: {} });
    const [{ headers, json }] = seen as [Seen];
    expect(headers['x-signature-256'] ?? headers['webhook-signature'] ?? headers.authorization).toBeUndefined();
    expect(headers['x-gatehouse-origin']).toBe(json.gatehouse_origin);
    expect(json.gatehouse_origin).toBeTruthy();
  });

  it("carries the platform's marker where it is given one", async () => {
    const origin_marker = `${'a1'.repeat(16)}.dlv_${'0'.repeat(25)}`;
    await deliver({ origin_marker });
    await deliver({ origin_marker: 'a line\r\nx-other: header' });
    const [{ headers, json }, { headers: others }] = seen as [Seen, Seen];
    expect([headers['x-gatehouse-origin'], json.gatehouse_origin]).toEqual([origin_marker, origin_marker]);
    expect(others['x-gatehouse-origin']).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    [301, 'address_moved', false],
    [307, 'address_moved', false],
    [400, 'invalid_request', false],
    [401, 'auth_failed', false],
    [403, 'permission_denied', false],
    [404, 'not_found', false],
    [410, 'address_moved', false],
    [413, 'too_large', false],
    [422, 'invalid_request', false],
    [429, 'rate_limited', true],
    [500, 'provider_unavailable', true],
    [503, 'provider_unavailable', true],
  ])('maps an answer of %i to %s', async (status, error, retryable) => {
    respond = (response, request) =>
      response.writeHead(status, { 'retry-after': '30', location: '/hook' }).end(request.headers.authorization);
    expect(await deliver()).toMatchObject({
      ok: false,
      error,
      delivered_parts: 0,
      error_detail: { retryable, provider_status: status, retry_after: 30 },
    });
    expect(seen).toHaveLength(1);
  });

  it('reports no answer in time, and a connection lost after sending, as a timeout that is not safe to retry', async () => {
    respond = () => undefined;
    expect(await deliver({}, {}, serve(HASTY_MS))).toMatchObject({
      ok: false,
      error: 'timeout',
      error_detail: { retryable: false },
    });
    respond = (response) => response.destroy();
    expect(await deliver()).toMatchObject({ ok: false, error: 'timeout', error_detail: { retryable: false } });
  });

  it('reports a closed port as unavailable, and addresses that are private or malformed as invalid', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await deliver({ channel_address: `http://127.0.0.1:${port}/` })).toMatchObject({
      error: 'provider_unavailable',
      error_detail: { retryable: true },
    });
    for (const channel_address of [
      'http://169.254.169.254/latest',
      'http://10.0.0.1/',
      'ftp://e.example/',
      'nowhere',
      'http://u:p@127.0.0.1/',
    ]) {
      expect(await deliver({ channel_address })).toMatchObject({
        error: 'invalid_request',
        error_detail: { retryable: false },
      });
    }
    expect(seen).toHaveLength(0);
  });

  it('refuses an empty text, a key that does not fit a header, and an unknown part, without posting', async () => {
    expect(await deliver({}, { text: ' ' })).toMatchObject({ error: 'invalid_request' });
    expect(await deliver({ idempotency_key: 'a\r\nb' })).toMatchObject({ error: 'invalid_request' });
    expect(await deliver({ from_part: 2 })).toMatchObject({ error: 'invalid_request' });
    expect(seen).toHaveLength(0);
  });

  it('stops at a failing part, and posts every part once over the retry', async () => {
    const text = 'part one\n\npart two\n\npart three\n\npart four\n\npart five';
    let failing = true;
    respond = (response, request) => {
      const refused = failing && request.json.text === 'part three';
      response.writeHead(refused ? 503 : 200).end(JSON.stringify({ id: `id ${String(request.json.text)}` }));
    };
    expect(await deliver({}, { text })).toMatchObject({
      ok: false,
      error: 'provider_unavailable',
      delivered_parts: 2,
      parts: [{ message_id: 'id part one' }, { message_id: 'id part two' }],
    });
    failing = false;
    const first = seen.splice(0).filter(({ json }) => json.text !== 'part three');
    expect(await deliver({ from_part: 2 }, { text })).toMatchObject({ ok: true, parts: [{}, {}, {}] });
    const accepted = [...first, ...seen];
    expect(accepted.map(({ json }) => json.text)).toEqual([
      'part one',
      'part two',
      'part three',
      'part four',
      'part five',
    ]);
    expect(accepted.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'key-1-1',
      'key-1-2',
      'key-1-3',
      'key-1-4',
      'key-1-5',
    ]);
  });

  it('never mixes the secrets of concurrent calls', async () => {
    const accounts = Array.from({ length: 50 }, (_, index) => Buffer.alloc(24, index % 2).toString('base64'));
    await Promise.all(
      accounts.map((signing_secret, index) =>
        deliver({ credentials: { signing_secret }, idempotency_key: `k${index}` }, { text: `m${index}` }),
      ),
    );
    expect(seen).toHaveLength(50);
    for (const { headers, text, json } of seen) {
      const secret = accounts[Number(String(json.text).slice(1))] ?? '';
      expect(await octokitVerify(secret, text, String(headers['x-signature-256']))).toBe(true);
    }
  });
});
