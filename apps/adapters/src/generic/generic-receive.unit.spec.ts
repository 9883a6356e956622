import { pino } from 'pino';
import { createAdapterServer, signHmac, signStandardWebhooks, type JsonObject } from '#libs/adapter-sdk';
import { createGenericAdapter } from './generic.adapter.js';

const SECRET = Buffer.alloc(24, 9).toString('base64');
const NOW = new Date('2026-11-21T02:48:13.000Z');
const BODY = '{ "id": "42", "sender": "jane", "message": "hi" }';

const app = createAdapterServer(
  [createGenericAdapter({ fetch: () => Promise.reject(new Error('receiving makes no call')) })],
  { version: 'test', logger: pino({ level: 'silent' }) },
);

async function call(route: string, payload: unknown) {
  const answer = await app.inject({ method: 'POST', url: `/generic/${route}`, payload: payload as object });
  return { status: answer.statusCode, json: answer.json<JsonObject>() };
}

const verify = async (headers: JsonObject, body = BODY, credentials: JsonObject = { signing_secret: SECRET }) => {
  const request = { headers, body };
  const { json } = await call('verify-webhook', { credentials, request, received_at: NOW.toISOString() });
  return json.ok === true ? json.scheme : json.error;
};
const standard = (secret: string, body = BODY, timestamp = NOW) => ({
  ...signStandardWebhooks({ secret, id: 'msg_1', timestamp, body }),
});
const hashed = (secret: string, body = BODY) => ({ 'X-Signature-256': `sha256=${signHmac(secret, body)}` });

async function parse(
  body: unknown,
  { headers = {}, credentials = {} }: { headers?: JsonObject; credentials?: JsonObject } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await call('parse-inbound', {
    credentials,
    request: { headers, body: text },
    received_at: NOW.toISOString(),
  });
  expect(answer.status).toBe(200);
  return answer.json;
}

describe('verifying a webhook', () => {
  it('accepts both schemes, chosen by the headers', async () => {
    expect(await verify(standard(SECRET))).toBe('standard-webhooks');
    expect(await verify(standard(`whsec_${SECRET}`), BODY, { signing_secret: `whsec_${SECRET}` })).toBe(
      'standard-webhooks',
    );
    expect(await verify(hashed(SECRET))).toBe('hmac-sha256');
    expect(await verify({ 'x-signature-256': [hashed(SECRET)['X-Signature-256']] })).toBe('hmac-sha256');
  });

  it('accepts the published GitHub-style vector', async () => {
    const headers = { 'x-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' };
    expect(await verify(headers, 'Hello, World!', { signing_secret: "It's a Secret to Everybody" })).toBe(
      'hmac-sha256',
    );
  });

  it('refuses a tampered or re-serialised body under both schemes', async () => {
    const reserialised = JSON.stringify(JSON.parse(BODY));
    for (const headers of [standard(SECRET), hashed(SECRET)]) {
      expect(await verify(headers, `${BODY} `)).toBe('bad_signature');
      expect(await verify(headers, reserialised)).toBe('bad_signature');
    }
  });

  it('refuses stale, future, missing, unprefixed and downgraded signatures', async () => {
    expect(await verify(standard(SECRET, BODY, new Date(NOW.getTime() - 301_000)))).toBe('stale_timestamp');
    expect(await verify(standard(SECRET, BODY, new Date(NOW.getTime() + 301_000)))).toBe('stale_timestamp');
    expect(await verify({})).toBe('missing_signature');
    expect(await verify({ 'x-signature-256': signHmac(SECRET, BODY) })).toBe('bad_signature');
    const stale = standard(SECRET, BODY, new Date(NOW.getTime() - 301_000));
    expect(await verify({ ...stale, ...hashed(SECRET) })).toBe('stale_timestamp');
  });

  it('fails closed without a secret or without the exact body, and accepts either secret of a rotation', async () => {
    for (const signing_secret of [undefined, '', null, [], 7]) {
      expect(await verify(standard(SECRET), BODY, { signing_secret })).toBe('not_configured');
    }
    const parsed = { credentials: { signing_secret: SECRET }, headers: hashed(SECRET), payload: JSON.parse(BODY) };
    expect((await call('verify-webhook', parsed)).json.error).toBe('body_required');
    const signing_secret = ['another', SECRET];
    expect(await verify(standard(SECRET), BODY, { signing_secret })).toBe('standard-webhooks');
    expect(await verify(hashed(SECRET), BODY, { signing_secret })).toBe('hmac-sha256');
  });
});

describe('parsing a webhook', () => {
  it('reads the default fields', async () => {
    const body = {
      event_type: 'build_failed',
      sender: { id: 'u1', name: 'Jane' },
      text: 'red',
      id: 7,
      thread_id: 't',
      reply_to: 'https://r.example',
      is_dm: true,
      account: 'a:1',
      metadata: { branch: 'main' },
    };
    expect(await parse(body)).toEqual({
      event_type: 'build_failed',
      sender: 'u1',
      message: 'red',
      is_bot: false,
      is_dm: true,
      thread_id: 't',
      dedup_key: 'generic:a%3A1:7',
      metadata: {
        branch: 'main',
        is_self: false,
        timestamp: NOW.toISOString(),
        raw_type: 'build_failed',
        sender: { id: 'u1', name: 'Jane' },
        account: 'a:1',
        channel_address: 'https://r.example',
        message_id: '7',
        reply_context: { message_id: '7' },
      },
    });
  });

  it('keeps the digits of ids that are large numbers', async () => {
    const id = '12345678901234567890';
    const body = `{"text":"hi","id":${id},"thread_id":${id},"sender":{"id":${id}},"metadata":{"order":${id}}}`;
    expect(await parse(body)).toMatchObject({ sender: id, thread_id: id, metadata: { message_id: id, order: id } });
  });

  it('follows a mapping given as an object or as text, with fallbacks in order', async () => {
    const mapping = {
      message: ['/none', '/data/0/body'],
      sender: '/data/0/from',
      dedup_key: '/data/0/a~1b',
      event_type: '/kind',
    };
    const body = { kind: 'sms', data: [{ body: 'hello', from: '+49', 'a/b': 'x' }] };
    for (const given of [mapping, JSON.stringify(mapping)]) {
      expect(await parse(body, { credentials: { mapping: given } })).toMatchObject({
        event_type: 'sms',
        sender: '+49',
        message: 'hello',
        dedup_key: 'generic:-:x',
      });
    }
  });

  it('takes a body that is not JSON as the message, keyed by the webhook-id where there is one', async () => {
    expect(await parse('plain words')).toMatchObject({
      event_type: 'message_received',
      message: 'plain words',
      sender: 'unknown',
    });
    expect(await parse('plain words')).not.toHaveProperty('dedup_key');
    expect((await parse('plain words', { headers: { 'Webhook-Id': 'msg_9' } })).dedup_key).toBe('generic:-:msg_9');
    expect((await parse({ message: 'm' }, { headers: { 'webhook-id': 'msg_9' } })).dedup_key).toBe('generic:-:msg_9');
  });

  it('makes the whole body the message of an event without one, and ignores a body without content', async () => {
    expect(await parse({ event_type: 'order_created', total: 3 })).toMatchObject({
      event_type: 'order_created',
      message: '{"event_type":"order_created","total":3}',
    });
    for (const body of ['', '  ', 'null', '{}', '[]', '5', '""', '{"foo":1}']) {
      expect(await parse(body)).toMatchObject({
        event_type: 'ignored',
        metadata: { ignored_reason: expect.any(String) },
      });
    }
    expect(await parse(BODY, { credentials: { mapping: '{broken' } })).toMatchObject({
      event_type: 'ignored',
      metadata: { ignored_reason: 'invalid_mapping' },
    });
  });

  it('recognises an echo only by the header or the field, whatever their case', async () => {
    expect(await parse(BODY)).toMatchObject({ is_bot: false, metadata: { is_self: false } });
    const own = { is_bot: true, metadata: { is_self: true } };
    expect(await parse(BODY, { headers: { 'X-GATEHOUSE-origin': 'm' } })).toMatchObject(own);
    expect(await parse({ message: 'm', Gatehouse_Origin: 'm' })).toMatchObject(own);
    expect(await parse({ message: 'm', metadata: { gatehouse_origin: 'm' } })).toMatchObject(own);
    expect(await parse('', { headers: { 'x-gatehouse-origin': 'm' } })).toMatchObject(own);
  });

  it.each([22, 25, 32])(
    "leaves the platform's marker with %i digits to the platform, which knows whose it is",
    async (digits) => {
      const marker = `${'a1'.repeat(16)}.dlv_${'0'.repeat(digits)}`;
      const foreign = { is_bot: false, metadata: { is_self: false, origin_marker: marker } };
      expect(await parse(BODY, { headers: { 'x-gatehouse-origin': marker } })).toMatchObject(foreign);
      expect(await parse({ message: 'm', gatehouse_origin: marker })).toMatchObject(foreign);
      expect(await parse('plain text', { headers: { 'x-gatehouse-origin': marker } })).toMatchObject(foreign);
      const echo = { message: 'm', metadata: { origin_marker: marker } };
      expect((await parse(echo)).metadata).not.toHaveProperty('origin_marker');
    },
  );

  it('marks a sender without reply_to as unanswerable by an address of null', async () => {
    expect(await parse({ sender: 'ci', message: 'm' })).toMatchObject({ metadata: { channel_address: null } });
    expect(await parse('plain text')).toMatchObject({ metadata: { channel_address: null } });
  });

  it('keeps the dedup key short, equal for a retry and different for another account', async () => {
    const long = await parse({ id: 'x'.repeat(100_000), message: 'm' });
    expect(String(long.dedup_key).length).toBeLessThan(100);
    const key = async (account: string, id: string) => (await parse({ id, account, message: 'm' })).dedup_key;
    expect(await key('a', '1')).toBe(await key('a', '1'));
    expect(await key('a:b', 'c')).not.toBe(await key('a', 'b:c'));
  });

  it('does not let a sender set the fields that the adapter vouches for', async () => {
    const metadata = {
      channel_address: 'https://evil.example',
      is_self: true,
      messages: [1],
      reply_context: 'x'.repeat(9000),
    };
    const parsed = await parse({ message: 'm', metadata });
    expect(parsed.metadata).toEqual({ is_self: false, channel_address: null, timestamp: NOW.toISOString() });
  });

  it('answers bodies of megabytes and deep nesting', async () => {
    const bodies = ['x'.repeat(1_000_000)];
    for (const field of ['message', 'metadata', 'sender', 'foo']) {
      bodies.push(`{"${field}":${'['.repeat(200_000)}${']'.repeat(200_000)}}`);
      bodies.push(`{"${field}":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`);
    }
    for (const body of bodies) expect(await parse(body)).toMatchObject({ event_type: expect.any(String) });
  });
});

describe('verifying credentials', () => {
  it('checks that they are well-formed', async () => {
    expect(
      (await call('verify', { credentials: { signing_secret: SECRET, mapping: '{"message":"/m"}' } })).json,
    ).toMatchObject({ ok: true, user: 'generic' });
    expect((await call('verify', { credentials: {} })).json).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('signing_secret')],
    });
    for (const credentials of [
      { signing_secret: 5 },
      { signing_secret: [''] },
      { token: 'a\nb' },
      { mapping: '{' },
      { mapping: { x: '/x' } },
      { mapping: { message: 'm' } },
    ]) {
      expect((await call('verify', { credentials })).json).toMatchObject({ ok: false, error: expect.any(String) });
    }
  });
});

describe('formatting', () => {
  it('passes Markdown on, strips it for plain, and makes broadcasts inert in both', async () => {
    expect((await call('format', { text: '**hi** @here', mode: 'rich' })).json).toEqual({
      text: '**hi** @\u200bhere',
      format: 'markdown',
      parts: ['**hi** @\u200bhere'],
      lossy: [],
    });
    expect((await call('format', { text: '**hi** <!channel>', mode: 'plain' })).json).toMatchObject({
      text: 'hi @\u200bchannel',
      format: 'plain',
    });
    expect((await call('format', { text: 'one two', mode: 'plain', max_length: 4 })).json.parts).toEqual([
      'one',
      'two',
    ]);
  });
});
