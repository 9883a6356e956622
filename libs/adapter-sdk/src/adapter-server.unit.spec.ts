import { Writable } from 'node:stream';
import { pino } from 'pino';
import {
  createAdapterServer,
  defineAdapter,
  signStandardWebhooks,
  type AdapterDefinition,
  type InboundCall,
} from './index.js';

const SECRET = Buffer.alloc(32, 1).toString('base64');
const NEXT = Buffer.alloc(32, 2).toString('base64');
const CANARY = 'canary-7f1e9c-secret';

function adapter(changes: Partial<AdapterDefinition> = {}): AdapterDefinition {
  return defineAdapter({
    manifest: {
      schema_version: '1.0',
      slug: 'sample',
      name: 'Sample',
      description: 'For tests.',
      category: 'Integration',
      capabilities: ['send', 'receive'],
      credentials: [],
    },
    verify: () => ({ ok: true, user: 'sample' }),
    verifyWebhook: () => ({ ok: true, scheme: 'none' }),
    parseInbound: (call) => ({
      event_type: 'message_received',
      sender: 's',
      message: call.request.text,
      is_bot: false,
    }),
    deliver: () => ({ ok: true, message_id: '1' }),
    format: ({ text }) => ({ text, format: 'plain', parts: [text], lossy: [] }),
    ...changes,
  });
}

function capturingLogger() {
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return { logger: pino({ level: 'info' }, sink), lines };
}

const server = (
  changes: Partial<AdapterDefinition> = {},
  options: { secret?: string | string[]; bodyLimitBytes?: number } = {},
) => createAdapterServer([adapter(changes)], { version: 'abc123', logger: pino({ level: 'silent' }), ...options });

it('lists its adapters at its root, without authentication', async () => {
  const answer = await server({}, { secret: SECRET }).inject({ method: 'GET', url: '/' });
  expect(answer.json()).toEqual({ adapters: ['sample'] });
});

const post = (app: ReturnType<typeof server>, route: string, payload: unknown, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: `/sample/${route}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });

describe('routes', () => {
  it('serves the manifest and the exact health record as JSON', async () => {
    const app = server();
    const health = await app.inject('/sample/health');
    expect(health.json()).toEqual({ status: 'ready', version: 'abc123', adapter: 'sample' });
    expect(health.headers['content-type']).toMatch(/^application\/json/);
    expect((await app.inject('/sample/manifest.json')).json().slug).toBe('sample');
  });

  it('answers 405 with Allow for a wrong method and 404 for an unknown path, /mcp among them', async () => {
    const app = server();
    const wrong = await app.inject({ method: 'GET', url: '/sample/deliver?x=1' });
    expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'POST']);
    const put = await app.inject({ method: 'PUT', url: '/sample/health', payload: 'x' });
    expect([put.statusCode, put.headers.allow]).toEqual([405, 'GET, HEAD']);
    for (const path of ['mcp', 'deliver/lookup', 'sources/list-changes', 'nothing']) {
      const missing = await post(app, path, {});
      expect([missing.statusCode, missing.json()]).toEqual([404, { error: 'not_found' }]);
    }
  });

  it('answers 400 JSON for a body that is not a JSON object, and 413 over the limit', async () => {
    const app = server({}, { bodyLimitBytes: 2000 });
    for (const [body, error] of [
      ['{', 'invalid_json'],
      ['', 'invalid_json'],
      ['null', 'invalid_request'],
      ['[]', 'invalid_request'],
    ]) {
      const answer = await post(app, 'verify', body);
      expect([answer.statusCode, answer.json().error]).toEqual([400, error]);
    }
    const large = await post(app, 'verify', { pad: 'x'.repeat(3000) });
    expect([large.statusCode, large.json()]).toEqual([413, { error: 'too_large' }]);
  });

  it('tolerates unknown fields, a body without content type, and the flat form beside the envelope', async () => {
    const seen: InboundCall[] = [];
    const app = server({
      parseInbound: (call) => {
        seen.push(call);
        return { event_type: 'x', sender: 's', message: call.request.text, is_bot: false };
      },
    });
    const bytes = Buffer.from([0xff, 0x00]);
    await post(app, 'parse-inbound', {
      extra: { a: 1 },
      credentials: {},
      request: { headers: { 'X-A': ['1', '2'] }, body: 'é', new: 1 },
    });
    await post(app, 'parse-inbound', { request: { body: bytes.toString('base64'), body_encoding: 'base64' } });
    await post(app, 'parse-inbound', { headers: { 'X-A': 'flat' }, body: '{"a": 1}' });
    await post(app, 'parse-inbound', { headers: {}, payload: { a: 1 } });
    expect(
      seen.map(({ request }) => [request.headers['x-a'], request.body.toString('latin1'), request.exactBody]),
    ).toEqual([
      [['1', '2'], Buffer.from('é').toString('latin1'), true],
      [undefined, bytes.toString('latin1'), true],
      [['flat'], '{"a": 1}', true],
      [undefined, '{"a":1}', false],
    ]);
    const bare = await app.inject({
      method: 'POST',
      url: '/sample/verify',
      payload: Buffer.from('{"credentials":{}}'),
    });
    expect(bare.json()).toEqual({ ok: true, user: 'sample' });
  });

  it('passes the context headers to the handler', async () => {
    const app = server({
      verify: ({ context }) => ({
        ok: true,
        user: `${context.organizationId}/${context.projectId}/${context.requestId}`,
      }),
    });
    const answer = await post(
      app,
      'verify',
      {},
      { 'X-Organization-Id': 'org_1', 'X-Project-Id': 'prj_1', 'X-Request-Id': 'r1' },
    );
    expect(answer.json().user).toBe('org_1/prj_1/r1');
  });

  it('takes an empty thread_id as no thread', async () => {
    const seen: (string | undefined)[] = [];
    const app = server({
      deliver: ({ message }) => {
        seen.push(message.thread_id);
        return { ok: true, message_id: '1' };
      },
    });
    for (const thread_id of ['', null, 't']) {
      await post(app, 'deliver', { credentials: {}, channel_address: 'c', message: { text: 'hi', thread_id } });
    }
    expect(seen).toEqual([undefined, undefined, 't']);
  });

  it('gives the credentials to every handler, /format too, and refuses those that are no object', async () => {
    const seen: unknown[] = [];
    const app = server({
      format: ({ credentials, text }) => {
        seen.push(credentials);
        return { text, format: 'plain', parts: [text], lossy: [] };
      },
    });
    await post(app, 'format', { credentials: { token: CANARY }, text: 'hi' });
    await post(app, 'format', { text: 'hi' });
    expect(seen).toEqual([{ token: CANARY }, {}]);
    expect((await post(app, 'format', { credentials: [CANARY], text: 'hi' })).statusCode).toBe(400);
  });

  it('refuses a malformed delivery with a code in a 200, before the handler', async () => {
    const app = server();
    for (const body of [
      {},
      { channel_address: 'c' },
      { channel_address: 'c', message: { text: 'x' }, from_part: -1 },
    ]) {
      const answer = await post(app, 'deliver', body);
      expect([answer.statusCode, answer.json().error, answer.json().error_detail.retryable]).toEqual([
        200,
        'invalid_request',
        false,
      ]);
    }
  });

  it('serves sources only where offered, and refuses path traversal', async () => {
    const app = server({
      sources: {
        listChanges: ({ cursor }) => ({ changes: [], cursor: cursor ?? 'c1' }),
        fetchFile: ({ file_path }) => ({ bytes: Buffer.from(file_path), content_type: 'text/plain' }),
      },
    });
    expect((await post(app, 'sources/list-changes', { resource_path: 'r', cursor: null })).json()).toEqual({
      changes: [],
      cursor: 'c1',
    });
    const file = await post(app, 'sources/fetch-file', { resource_path: 'r', file_path: 'a/b.txt' });
    expect([file.body, file.headers['content-type']]).toEqual(['a/b.txt', 'text/plain']);
    for (const file_path of ['../x', 'a/../../x', '/etc/passwd', 'a\\..\\x', 'C:x', '']) {
      expect((await post(app, 'sources/fetch-file', { resource_path: 'r', file_path })).statusCode).toBe(400);
    }
  });
});

describe('the platform call signature', () => {
  const body = JSON.stringify({ credentials: {} });
  const sign = (secret: string | string[], text = body, timestamp = new Date()) => ({
    ...signStandardWebhooks({ secret, id: 'call_1', body: text, timestamp }),
  });

  it('is required of every POST once a secret is set, by either key of a rotation', async () => {
    const app = server({}, { secret: [NEXT, SECRET] });
    const unsigned = await post(app, 'verify', body);
    expect([unsigned.statusCode, unsigned.json().error]).toEqual([401, 'missing_signature']);
    for (const secret of [SECRET, NEXT]) expect((await post(app, 'verify', body, sign(secret))).statusCode).toBe(200);
    expect((await post(app, 'verify', `${body} `, sign(SECRET))).json().error).toBe('bad_signature');
    const old = sign(SECRET, body, new Date(Date.now() - 301_000));
    expect((await post(app, 'verify', body, old)).json().error).toBe('stale_timestamp');
    expect((await post(app, 'parse-inbound', '{', {})).statusCode).toBe(401);
    expect((await app.inject('/sample/health')).statusCode).toBe(200);
  });

  it('refuses a secret that is not a base64 key, and warns once at start when there is none', async () => {
    expect(() => server({}, { secret: 'short' })).toThrow('base64');
    const { logger, lines } = capturingLogger();
    const app = createAdapterServer([adapter()], { version: 'v', logger });
    await app.ready();
    await app.inject('/sample/health');
    expect(lines.filter((line) => line.includes('adapter.unsigned_calls'))).toHaveLength(1);
  });
});

describe('a defect of an adapter', () => {
  it('becomes a 500 without stack or secret, and a log line with the secret redacted', async () => {
    const { logger, lines } = capturingLogger();
    const failing = adapter({
      verify: ({ credentials }) => {
        throw new Error(`cannot use ${String(credentials.token)}`);
      },
    });
    const app = createAdapterServer([failing], { version: 'v', logger });
    const answer = await post(app, 'verify', { credentials: { token: CANARY } });
    expect([answer.statusCode, answer.json()]).toEqual([500, { error: 'internal_error' }]);
    expect(lines.join('')).toContain('cannot use [redacted]');
    expect(lines.join('')).not.toContain(CANARY);
  });

  it.each([
    [{ event_type: 'x', sender: 's', message: 'm' }, 'is_bot must be a boolean'],
    [{ event_type: 'x', sender: 1, message: 'm', is_bot: false }, 'sender must be a string'],
    [{ event_type: '', sender: 's', message: 'm', is_bot: false }, 'event_type must not be empty'],
    [{ event_type: 'batch', sender: 's', message: 'm', is_bot: false }, 'a batch needs metadata.messages'],
    [
      { event_type: 'x', sender: 's', message: 'm', is_bot: false, metadata: { reply_context: 'x'.repeat(5000) } },
      'metadata.reply_context must not exceed 4096 bytes',
    ],
    [null, 'the answer must be an object'],
  ])('is named when parse-inbound answers %j', async (result, problem) => {
    const app = server({ parseInbound: () => JSON.parse(JSON.stringify(result)) });
    const answer = await post(app, 'parse-inbound', {});
    expect([answer.statusCode, answer.json()]).toEqual([
      500,
      { error: 'contract_violation', message: `parse-inbound: ${problem}` },
    ]);
  });

  it('makes the definition throw when a capability lacks its handler or the slug is not a path segment', () => {
    const { manifest, verify } = adapter();
    expect(() => defineAdapter({ manifest, verify })).toThrow(
      /send needs the handler deliver.*receive needs the handler verifyWebhook/,
    );
    expect(() => adapter({ manifest: { ...manifest, slug: 'a/b' } })).toThrow('slug');
    expect(() => createAdapterServer([adapter(), adapter()], { version: 'v' })).toThrow('two adapters');
  });
});
