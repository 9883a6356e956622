import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createAdapterServer, type JsonObject, type NormalizedMessage } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createSendgridAdapter } from './sendgrid.adapter.js';
import { inboundRequest, parsedFields } from './testing/inbound-form.js';
import { PATIENT_MS } from '../testing/patience.js';

const TOKEN = 'SG.canary-88aa41-key';
const FROM = 'agent@example.com';

/** The parts of a `mail/send` body that the tests look at. */
interface Payload {
  personalizations: [{ to: [{ email: string }]; custom_args: Record<string, string> }];
  from: { email: string };
  subject: string;
  headers: Record<string, string>;
  content: { type: string; value: string }[];
  attachments?: object[];
}

const egress = createEgress({ allow: ['127.0.0.1'] });
let server: Server;
let app: ReturnType<typeof createAdapterServer>;
let seen: { request: IncomingMessage; payload: Payload }[];
let respond: (response: ServerResponse, request: IncomingMessage, payload: Payload) => void;
const accept = (response: ServerResponse) => response.writeHead(202, { 'x-message-id': `sg-${seen.length}` }).end();

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const payload = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Payload;
      seen.push({ request, payload });
      respond(response, request, payload);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = createAdapterServer(
    [createSendgridAdapter({ fetch: egress.fetch, timeoutMs: PATIENT_MS, apiUrl, maxLength: 1_000 })],
    { version: 'test', logger: pino({ level: 'silent' }) },
  );
});
beforeEach(() => {
  seen = [];
  respond = accept;
});
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const CREDENTIALS = { token: TOKEN, from_email: FROM, from_name: 'Agent' };
async function call<T = JsonObject>(route: string, payload: JsonObject): Promise<T> {
  const answer = await app.inject({
    method: 'POST',
    url: `/sendgrid/${route}`,
    payload: { credentials: CREDENTIALS, ...payload },
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).not.toContain(TOKEN);
  return answer.json<T>();
}
const deliver = (message: JsonObject = {}, changes: JsonObject = {}) =>
  call('deliver', {
    channel_address: 'jane@example.org',
    message: { text: 'hello', ...message },
    idempotency_key: 'key-1',
    ...changes,
  });

describe('the files of a message', () => {
  it('go with its first mail', async () => {
    const content = Buffer.from('x;y').toString('base64');
    const attachments = [{ name: 'a.csv', content_type: 'text/csv', content_base64: content }];
    expect(await deliver({ text: 'long text '.repeat(150), attachments })).toMatchObject({ ok: true });
    expect(seen.map(({ payload }) => payload.attachments)).toEqual([
      [{ content, filename: 'a.csv', type: 'text/csv', disposition: 'attachment' }],
      undefined,
    ]);
  });
});

describe('the loop of a mail, its answer and what comes back of it', () => {
  it('answers in the thread, and recognises the answer and its status as its own', async () => {
    const mail = await call<NormalizedMessage>('parse-inbound', {
      request: inboundRequest(
        parsedFields(['From: Jane <jane@example.org>', 'Message-ID: <m1@x>', 'References: <root@x>']),
      ),
    });
    const { channel_address, reply_context } = mail.metadata ?? {};
    const sent = await deliver(
      { text: 'It is **green**.', thread_id: mail.thread_id, reply_context },
      { channel_address },
    );
    expect(sent).toMatchObject({ ok: true, message_id: 'sg-1', thread_id: '<root@x>' });
    const [{ request, payload }] = seen as [(typeof seen)[number]];
    expect(request.url).toBe('/v3/mail/send');
    expect(request.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(payload).toMatchObject({
      personalizations: [{ to: [{ email: 'jane@example.org' }], custom_args: { gatehouse_delivery: 'key-1' } }],
      from: { email: FROM, name: 'Agent' },
      subject: 'Re: Build',
      headers: { 'In-Reply-To': '<m1@x>', References: '<root@x> <m1@x>', 'Auto-Submitted': 'auto-replied' },
      content: [
        { type: 'text/plain', value: 'It is green.' },
        { type: 'text/html', value: '<p dir="auto">It is <strong>green</strong>.</p>' },
      ],
    });

    const lines = Object.entries(payload.headers).map(([name, value]) => `${name}: ${value}`);
    const back = await call<NormalizedMessage>('parse-inbound', {
      request: inboundRequest(parsedFields(['From: list@example.net', ...lines])),
    });
    expect(back).toMatchObject({
      is_bot: true,
      thread_id: '<root@x>',
      metadata: { is_self: true, auto_submitted: true },
    });

    const status = await call<NormalizedMessage>('parse-inbound', {
      request: {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([
          {
            event: 'delivered',
            email: 'jane@example.org',
            sg_event_id: 'e',
            sg_message_id: 'sg-1.filter01',
            ...payload.personalizations[0].custom_args,
          },
        ]),
      },
    });
    expect(status).toMatchObject({
      event_type: 'delivery_status',
      metadata: { message_id: sent.message_id, delivery_key: 'key-1' },
    });
    expect(status.metadata?.channel_address).toBeNull();
  });
});

describe('delivering', () => {
  it('sends a text of ten times the limit whole and in order, and each part once when one fails', async () => {
    const text = Array.from({ length: 2_000 }, (_, index) => `w${index}`)
      .join(' ')
      .slice(0, 10_000);
    const taken: Payload[] = [];
    let failing = true;
    respond = (response, _request, payload) => {
      if (failing && payload.headers['X-Gatehouse-Delivery']?.startsWith('key-1-3/'))
        return response.writeHead(500).end();
      taken.push(payload);
      return accept(response);
    };
    expect(await deliver({ text })).toMatchObject({ ok: false, error: 'provider_unavailable', delivered_parts: 2 });
    failing = false;
    expect(await deliver({ text }, { from_part: 2 })).toMatchObject({ ok: true });
    expect(
      taken
        .map(({ content }) => content[0]?.value)
        .join(' ')
        .split(/\s+/),
    ).toEqual(text.split(' '));
    expect(new Set(taken.map(({ headers }) => headers['Message-ID'])).size).toBe(taken.length);
    expect(taken.slice(1).every(({ headers }) => headers['In-Reply-To'] === taken[0]?.headers['Message-ID'])).toBe(
      true,
    );
  });

  it('refuses what would add a recipient or a header, and a record without a sender', async () => {
    for (const channel_address of ['a@b.c\r\nBcc: e@f.g', 'a@b.c,e@f.g', 'a']) {
      expect(await deliver({}, { channel_address })).toMatchObject({ ok: false, error: 'invalid_request' });
    }
    expect(await deliver({ subject: 'a\nb' })).toMatchObject({ ok: false, error: 'invalid_request' });
    expect(await deliver({}, { credentials: { token: TOKEN } })).toMatchObject({ ok: false, error: 'auth_failed' });
    expect(await deliver({}, { credentials: { from_email: FROM } })).toMatchObject({ ok: false, error: 'auth_failed' });
    expect(seen).toHaveLength(0);
  });

  it.each([
    [400, 'invalid_request', false],
    [401, 'auth_failed', false],
    [403, 'permission_denied', false],
    [413, 'too_large', false],
    [429, 'rate_limited', true],
    [500, 'provider_unavailable', true],
    [503, 'provider_unavailable', true],
  ])('maps %i to %s', async (status, error, retryable) => {
    const reset = String(Math.floor(Date.now() / 1000) + 60);
    respond = (response) =>
      response.writeHead(status, { 'x-ratelimit-reset': reset }).end(
        JSON.stringify({
          errors: [{ message: `wrong ${TOKEN}`, field: 'from.email', help: 'https://sendgrid.com/docs' }],
        }),
      );
    const failure = await deliver();
    expect(failure).toMatchObject({
      ok: false,
      error,
      error_detail: { retryable, provider_status: status, provider_code: 'from.email' },
    });
    const { retry_after } = failure.error_detail as { retry_after?: number };
    if (status === 429) expect(retry_after).toBeGreaterThan(55);
    else expect(retry_after).toBeUndefined();
  });

  it('reports a lost answer as a mail that may have arrived', async () => {
    respond = (response) => response.destroy();
    expect(await deliver()).toMatchObject({ ok: false, error: 'timeout', error_detail: { retryable: false } });
  });
});

describe('verifying', () => {
  const scopes = (status: number, names: string[] = []) => {
    respond = (response) => response.writeHead(status).end(JSON.stringify({ scopes: names }));
  };

  it('needs a key that may send, and warns of webhooks that cannot be verified', async () => {
    scopes(200, ['mail.send', 'stats.read']);
    expect(await call('verify', {})).toMatchObject({
      ok: true,
      user: FROM,
      warnings: [expect.any(String), expect.any(String)],
    });
    scopes(200, ['stats.read']);
    expect(await call('verify', {})).toMatchObject({ ok: false, error: 'auth_failed' });
  });

  it('distinguishes a refused key from an unavailable SendGrid', async () => {
    scopes(401);
    expect(await call('verify', {})).toMatchObject({ ok: false, error: 'auth_failed' });
    for (const status of [429, 500]) {
      scopes(status);
      expect(await call('verify', {})).toMatchObject({ ok: false, error: 'provider_unavailable' });
    }
    expect(await call('verify', { credentials: {} })).toMatchObject({ ok: false, error: 'auth_failed' });
  });
});
