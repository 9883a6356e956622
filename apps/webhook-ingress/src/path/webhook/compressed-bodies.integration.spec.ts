import type { DeclaredVerification } from '#libs/contracts';
import { slowClient, until } from '#libs/testing';
import { createHmac } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

const secret = 'a long random text';
const json = Buffer.from('{"task":"gr\u00fc\u00dfe"}');

let world: IngressWorld;
let url: string;

beforeAll(async () => {
  const signed: DeclaredVerification = { scheme: 'hmac', secret_fields: ['signing_secret'] };
  const endpoints = [
    endpoint('open'),
    endpoint('built', { kind: 'builtin', verification: 'none' }),
    endpoint('signed', { kind: 'builtin', verification: signed }),
    endpoint('small', { max_body_bytes: 10_000 }),
    endpoint('shaking', { adapter_handshake: true }),
  ];
  world = await openIngress({ endpoints, fields: { signing_secret: secret } });
  url = await start(2);
});
afterAll(() => world.close());

async function start(BODY_MAX_CODINGS: number, BODY_MEMORY_BYTES = 268_435_456): Promise<string> {
  return (await world.start({ BODY_MAX_CODINGS, BODY_MEMORY_BYTES })).getUrl();
}

async function post(coding: string, body: Buffer, token = 'built', headers: Record<string, string> = {}, at = url) {
  const answer = await world.post(token, new Uint8Array(body), { 'content-encoding': coding, ...headers }, at);
  const parsed = (await answer.json()) as { error?: string; message?: string; id?: string; duplicate?: true };
  return { status: answer.status, accepts: answer.headers.get('accept-encoding'), ...parsed };
}

async function stored(id = ''): Promise<{ body: Buffer; headers: Record<string, string> }> {
  const sql = 'SELECT body, headers FROM ingress.receipt WHERE id = $1';
  const [row] = await world.query<{ body: Buffer; headers: string }>(sql, [id]);
  return { body: row!.body, headers: JSON.parse(row!.headers) };
}

describe('a body', () => {
  it.each([
    ['gzip', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['GZip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['deflate', deflateRawSync(json)],
    ['br', brotliCompressSync(json)],
    ['identity', json],
    ['', json],
    ['identity, gzip', gzipSync(json)],
    ['gzip, br', brotliCompressSync(gzipSync(json))],
    ['br , gzip', gzipSync(brotliCompressSync(json))],
    ['gzip', Buffer.concat([gzipSync(json.subarray(0, 5)), gzipSync(json.subarray(5))])],
  ])('in the coding "%s" is kept as it was before', async (coding, body) => {
    const answer = await post(coding, body);
    expect(answer).toMatchObject({ status: 200, id: expect.any(String) });
    const { body: kept, headers } = await stored(answer.id);
    expect(kept.toString()).toBe(json.toString());
    expect(headers['content-length']).toBe(String(json.length));
    expect(headers['content-encoding'] ?? '').not.toMatch(/gzip|deflate|br/i);
  });

  it('of an App with an adapter is read too, also where it looks like a handshake', async () => {
    const { id } = await post('gzip', gzipSync(json), 'open');
    expect((await stored(id)).body.toString()).toBe(json.toString());
    world.gateway.handshake = ({ body }) => ({ status: 200, headers: {}, body });
    const answer = await fetch(`${url}/api/v1/webhooks/shaking`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'br' },
      body: new Uint8Array(brotliCompressSync('{"type":"url_verification","challenge":"c"}')),
    });
    expect(await answer.text()).toContain('"challenge":"c"');
  });

  it.each([
    ['as it came', Buffer.alloc(0)],
    ['when it is read', gzipSync('')],
  ])('that is empty %s counts as one without bytes', async (_when, body) => {
    expect((await post('gzip', body, 'open')).status).toBe(200);
    expect(await post('gzip', body)).toMatchObject({ status: 400, error: 'invalid_json' });
  });

  it('sent again in another coding is the same delivery', async () => {
    const key = { 'idempotency-key': 'k1' };
    const first = await post('gzip', gzipSync(json), 'built', key);
    const second = await post('br', brotliCompressSync(json), 'built', key);
    expect(second).toMatchObject({ status: 200, duplicate: true, id: first.id });
  });
});

describe('a signature', () => {
  const signature = (over: Buffer) => ({
    'x-signature-256': `sha256=${createHmac('sha256', secret).update(over).digest('hex')}`,
  });

  it('may be over the bytes as they were sent, or as they were before', async () => {
    const body = gzipSync(json);
    for (const over of [body, json]) {
      expect((await post('gzip', body, 'signed', signature(over))).status).toBe(200);
    }
  });

  it('is refused over what is between two codings, over another text and over nothing', async () => {
    const inner = gzipSync(json);
    const refused = { status: 401, error: 'bad_signature' };
    for (const over of [inner, Buffer.from('x'), Buffer.alloc(0)]) {
      expect(await post('gzip, br', brotliCompressSync(inner), 'signed', signature(over))).toMatchObject(refused);
    }
  });
});

describe('what cannot be read is refused', () => {
  it.each(['zstd', 'compress', 'x-compress', 'aws-chunked', '__proto__', 'constructor', 'gzip, zstd', 'gzip;q=1'])(
    '415 in the coding %s, with those that can, before the body comes',
    async (coding) => {
      const lines = [
        'POST /api/v1/webhooks/built HTTP/1.1',
        'host: x',
        `content-encoding: ${coding}`,
        'content-length: 999999',
      ];
      const client = await slowClient(url, `${lines.join('\r\n')}\r\n\r\n`);
      await client.closed;
      expect(client.received).toMatch(/^HTTP\/1.1 415 /);
      expect(client.received).toMatch(/\r\naccept-encoding: gzip, deflate, br\r\n/i);
      expect(client.received).toContain('"error":"unsupported_encoding"');
    },
  );

  it('415 in more codings than BODY_MAX_CODINGS, and in any where it is 0', async () => {
    const many = await post('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(json))));
    expect(many).toMatchObject({ status: 415, message: expect.stringContaining('BODY_MAX_CODINGS') });
    const none = await start(0);
    const refused = { status: 415, error: 'unsupported_encoding', accepts: 'identity' };
    expect(await post('gzip', gzipSync(json), 'built', {}, none)).toMatchObject(refused);
    expect((await post('identity', json, 'built', {}, none)).status).toBe(200);
  });

  const whole = gzipSync(json);
  it.each([
    ['gzip', 'that is cut off', whole.subarray(0, -9)],
    ['gzip', 'without its sum', whole.subarray(0, -8)],
    ['gzip', 'with a wrong sum', Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8, 1)])],
    ['gzip', 'that is plain', json],
    ['gzip', 'that is one byte', Buffer.from([0x1f])],
    ['gzip', 'with junk behind it', Buffer.concat([whole, Buffer.from('junk')])],
    ['gzip', 'with zeros behind it', Buffer.concat([whole, Buffer.alloc(9)])],
    ['gzip', 'that is zlib', deflateSync(json)],
    ['deflate', 'that is cut off', deflateSync(json).subarray(0, -5)],
    ['deflate', 'with junk behind it', Buffer.concat([deflateSync(json), Buffer.from('junk')])],
    ['deflate', 'that is bare, with junk behind it', Buffer.concat([deflateRawSync(json), Buffer.from('junk')])],
    ['deflate', 'that is gzip', whole],
    ['br', 'that is cut off', brotliCompressSync(json).subarray(0, -3)],
    ['br', 'with junk behind it', Buffer.concat([brotliCompressSync(json), Buffer.from('junk')])],
    ['br', 'that is gzip', whole],
    ['br, gzip', 'of which one is there', whole],
  ])('400 as %s %s', async (coding, _what, body) => {
    expect(await post(coding, body, 'open')).toMatchObject({ status: 400, error: 'invalid_encoding' });
  });

  it('400 into the refusal log', async () => {
    await post('gzip', json, 'open');
    const kept = 'SELECT code FROM ingress.refusal WHERE app_id = $1 AND code = $2 AND body_bytes = $3';
    const values = ['app_open', 'invalid_encoding', json.length];
    await until('it is kept', async () => (await world.query(kept, values)).length > 0);
  });
});

describe('a bomb', () => {
  const zeros = Buffer.alloc(60_000_000);

  it.each([
    ['gzip', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
  ])('is 413 at the limit of its App: %s', async (coding, body) => {
    const refused = { status: 413, error: 'body_too_large', message: expect.stringContaining('1048576') };
    expect(await post(coding, body, 'open')).toMatchObject(refused);
  });

  it('has the limit of each App, to the byte', async () => {
    expect((await post('gzip', gzipSync(Buffer.alloc(10_000, 'x')), 'small')).status).toBe(200);
    expect((await post('gzip', gzipSync(Buffer.alloc(10_001, 'x')), 'small')).status).toBe(413);
  });

  it('counts as memory as it grows, and gives that back', async () => {
    const tight = await start(2, 1_048_576);
    const body = gzipSync(gzipSync(Buffer.alloc(900_000)));
    for (let times = 0; times < 4; times += 1) {
      expect((await post('gzip, gzip', body, 'open', {}, tight)).status).toBe(200);
    }
    const random = gzipSync(Buffer.alloc(1_048_576, 'a bit of text'), { level: 0 });
    expect(await post('gzip', random.subarray(0, 1_000_000), 'open', {}, tight)).toMatchObject({
      status: 503,
      error: 'busy',
    });
    expect((await post('gzip, gzip', body, 'open', {}, tight)).status).toBe(200);
  });
});
