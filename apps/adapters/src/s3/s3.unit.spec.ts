import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator, type Emulator } from 'emulate';
import { pino } from 'pino';
import { createAdapterServer, type ChangeRecord, type JsonObject, type LeftOutDocument } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createS3Adapter } from './s3.adapter.js';
import { HASTY_MS, PATIENT_MS } from '../testing/patience.js';

const SECRET = 'canary-5d10e4-secret-key';
const egress = createEgress({ allow: ['127.0.0.1', 'localhost'] });
const serve = (pagesPerCall: number, timeoutMs = PATIENT_MS) =>
  createAdapterServer(
    [createS3Adapter({ fetch: egress.fetch, timeoutMs, pageSize: 3, pagesPerCall, maxFileBytes: 100 })],
    { version: 'test', logger: pino({ level: 'silent' }) },
  );
const app = serve(10);

let emulator: Emulator;
let endpoint: string;
let fault: Server;
let faultUrl: string;
let respond: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  emulator = await createEmulator({
    service: 'aws',
    port: 0,
    seed: { aws: { s3: { buckets: [{ name: 'documents' }, { name: 'empty' }] } } },
  });
  endpoint = emulator.url;
  fault = createServer((request, response) => respond(request, response));
  await new Promise<void>((resolve) => fault.listen(0, '127.0.0.1', resolve));
  faultUrl = `http://127.0.0.1:${(fault.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await emulator.close();
  await egress.close();
  fault.closeAllConnections();
  await new Promise((resolve) => fault.close(resolve));
});

const credentials = (changes: JsonObject = {}): JsonObject => ({
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: SECRET,
  endpoint,
  ...changes,
});
async function call(route: string, payload: JsonObject, server = app) {
  const answer = await server.inject({ method: 'POST', url: `/s3/${route}`, payload });
  expect(answer.body).not.toContain(SECRET);
  return answer;
}
interface Listing {
  changes: ChangeRecord[];
  cursor: string;
  has_more?: boolean;
  full?: boolean;
  left_out?: LeftOutDocument[];
  error?: string;
  message?: string;
}
async function list(resource_path: string, cursor: string | null, changes: JsonObject = {}, server = app) {
  const payload = { credentials: credentials(changes), resource_path, cursor };
  const answer = await call('sources/list-changes', payload, server);
  expect(answer.statusCode).toBe(200);
  return answer.json<Listing>();
}
const fetchFile = (resource_path: string, file_path: string, changes: JsonObject = {}) =>
  call('sources/fetch-file', { credentials: credentials(changes), resource_path, file_path });

async function put(key: string, body: string | Buffer, bucket = 'documents') {
  const path = key.split('/').map(encodeURIComponent).join('/');
  const answer = await fetch(`${endpoint}/${bucket}/${path}`, {
    method: 'PUT',
    body: new Uint8Array(Buffer.from(body)),
  });
  expect(answer.status).toBe(200);
}
const remove = (key: string) => fetch(`${endpoint}/documents/${key}`, { method: 'DELETE' });
const paths = (listing: Listing) => listing.changes.map(({ path }) => path).sort();

describe('against a third-party S3 server', () => {
  it('lists all pages once, keeps the cursor while nothing changes, and shows what was added, modified, removed', async () => {
    for (let index = 0; index < 7; index++) await put(`list/file ${index}.md`, `body ${index}`);
    const first = await list('documents/list', null);
    expect(paths(first)).toEqual(Array.from({ length: 7 }, (_, index) => `file ${index}.md`));
    expect(first).toMatchObject({ full: true });
    expect(first.changes.every(({ status }) => status === 'added')).toBe(true);
    const same = await list('documents/list', first.cursor);
    expect(same).toEqual({ changes: [], cursor: first.cursor });

    const before = new Map(first.changes.map(({ path, fingerprint }) => [path, fingerprint]));
    await put('list/file 7.md', 'new');
    await put('list/file 0.md', 'other');
    await remove('list/file%201.md');
    const after = await list('documents/list', same.cursor);
    expect(after.full).toBe(true);
    const now = new Map(after.changes.map(({ path, fingerprint }) => [path, fingerprint]));
    expect(now.has('file 1.md')).toBe(false);
    expect(now.has('file 7.md')).toBe(true);
    expect(now.get('file 0.md')).not.toBe(before.get('file 0.md'));
    expect(now.get('file 2.md')).toBe(before.get('file 2.md'));
    expect(after.cursor).not.toBe(first.cursor);
  });

  it('resumes where a call stopped when the root is too large for one', async () => {
    const small = serve(1);
    for (let index = 0; index < 7; index++) await put(`many/${index}`, 'x');
    const seen: string[] = [];
    let cursor: string | null = null;
    let calls = 0;
    for (let more = true; more; calls++) {
      const listing: Listing = await list('documents/many', cursor, {}, small);
      expect(listing.full).toBe(true);
      seen.push(...paths(listing));
      cursor = listing.cursor;
      more = listing.has_more === true;
    }
    expect(calls).toBe(3);
    expect(seen).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    // The digest does not depend on the page boundaries.
    expect((await list('documents/many', cursor)).changes).toEqual([]);
  });

  it('fetches the exact bytes under any name that a key may have', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    for (const name of ['plain.bin', 'with space & +plus.bin', "quo'te(1)!*.bin", 'ünïcode/日本.bin', '%41%2F.bin']) {
      await put(`names/${name}`, bytes);
      const answer = await fetchFile('documents/names', name);
      expect({ name, status: answer.statusCode, bytes: answer.rawPayload }).toEqual({ name, status: 200, bytes });
      expect(answer.headers['x-fingerprint']).toBeTruthy();
    }
    expect(paths(await list('s3://documents/names/', null))).toHaveLength(5);
  });

  it('reads an empty file, and refuses one that is too large rather than truncating it', async () => {
    await put('sizes/empty', '');
    await put('sizes/fits', 'x'.repeat(100));
    await put('sizes/large', 'x'.repeat(101));
    expect((await fetchFile('documents/sizes', 'empty')).rawPayload).toHaveLength(0);
    expect((await fetchFile('documents/sizes', 'fits')).rawPayload).toHaveLength(100);
    expect((await fetchFile('documents/sizes', 'large')).json()).toMatchObject({ ok: false, error: 'too_large' });
  });

  it('distinguishes a missing root or file from an empty bucket', async () => {
    expect(await list('nobucket', null)).toMatchObject({ ok: false, error: 'not_found' });
    expect(await list('documents/nofolder', null)).toMatchObject({ ok: false, error: 'not_found' });
    expect((await fetchFile('documents', 'nofile')).json()).toMatchObject({ ok: false, error: 'not_found' });
    const empty = await list('empty', null);
    expect(empty).toMatchObject({ changes: [], full: true });
    expect(await list('empty', empty.cursor)).toEqual({ changes: [], cursor: empty.cursor });
  });

  it('verifies keys', async () => {
    expect((await call('verify', { credentials: credentials() })).json()).toMatchObject({
      ok: true,
      user: new URL(endpoint).host,
    });
  });
});

describe('input that could lead elsewhere', () => {
  it.each(['../secret', 'a/../../secret', '/etc/passwd', 'a\\b', './a'])('refuses the path %s', async (path) => {
    const answer = await fetchFile('documents', path);
    expect(answer.statusCode === 400 || answer.json<Listing>().error === 'not_found').toBe(true);
  });

  it.each(['', '../documents', 'Documents', 'documents/../other', 'a', 's3://'])(
    'refuses the root "%s"',
    async (root) => {
      expect(await list(root, null)).toMatchObject({ ok: false, error: 'not_found' });
    },
  );

  it.each(['bogus', '', 'eyJhIjoxfQ', Buffer.from('[2,"","",""]').toString('base64url')])(
    'answers the cursor "%s" with cursor_expired',
    async (cursor) => {
      expect(await list('documents', cursor)).toMatchObject({ ok: false, error: 'cursor_expired' });
    },
  );

  it.each(['http://169.254.169.254', 'http://10.0.0.1'])('refuses the endpoint %s', async (inside) => {
    expect(await list('documents', null, { endpoint: inside })).toMatchObject({ error: 'permission_denied' });
  });

  it.each(['ftp://x', 'https://u:p@x', 'https://x/path', 'x'])(
    'refuses the endpoint %s as malformed',
    async (wrong) => {
      expect(await list('documents', null, { endpoint: wrong })).toMatchObject({ error: 'auth_failed' });
    },
  );

  it('says which keys it leaves out, since they lead out of their root; folder markers are none', async () => {
    respond = (_request, response) =>
      response.end(`<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType>
        ${['ok%26.txt', 'folder/', 'a/../b', '%2Fabs', 'c%5Cd'].map((key) => `<Contents><Key>${key}</Key><ETag>&quot;e&quot;</ETag></Contents>`).join('')}
        </ListBucketResult>`);
    const first = await list('documents', null, { endpoint: faultUrl });
    expect(first.changes).toEqual([{ path: 'ok&.txt', fingerprint: 'e', status: 'added' }]);
    const error = expect.stringContaining('leads out');
    const leftOut = ['a/../b', '/abs', 'c\\d'].map((path) => ({ path, error }));
    expect(first.left_out).toEqual(leftOut);
    // A listing without changes still says so: else the next run would look whole.
    expect(await list('documents', first.cursor, { endpoint: faultUrl })).toMatchObject({
      changes: [],
      left_out: leftOut,
    });
  });
});

describe('the documented errors', () => {
  const errorBody = (code: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${SECRET}</Message><Resource>/documents</Resource><RequestId>4442587FB7D0A2F9</RequestId></Error>`;

  it.each([
    [403, 'InvalidAccessKeyId', 'auth_failed'],
    [403, 'SignatureDoesNotMatch', 'auth_failed'],
    [400, 'ExpiredToken', 'auth_failed'],
    [400, 'AuthorizationHeaderMalformed', 'auth_failed'],
    [301, 'PermanentRedirect', 'auth_failed'],
    [403, 'AccessDenied', 'permission_denied'],
    [404, 'NoSuchBucket', 'not_found'],
    [503, 'SlowDown', 'rate_limited'],
    [500, 'InternalError', 'provider_unavailable'],
    [503, 'ServiceUnavailable', 'provider_unavailable'],
  ])('maps %i %s to %s', async (status, code, error) => {
    respond = (_request, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(errorBody(code));
    expect(await list('documents', null, { endpoint: faultUrl })).toMatchObject({ ok: false, error });
    expect((await fetchFile('documents', 'a', { endpoint: faultUrl })).json()).toMatchObject({ ok: false, error });
    const verified = (await call('verify', { credentials: credentials({ endpoint: faultUrl }) })).json<JsonObject>();
    if (code === 'AccessDenied') expect(verified).toMatchObject({ ok: true, warnings: [expect.any(String)] });
    else expect(verified).toMatchObject({ ok: false, error: error === 'auth_failed' ? error : 'provider_unavailable' });
  });

  it('passes on how long the store wants to be left alone', async () => {
    respond = (_request, response) => response.writeHead(503, { 'retry-after': '7' }).end(errorBody('SlowDown'));
    const limited = { ok: false, error: 'rate_limited', retry_after: 7 };
    expect(await list('documents', null, { endpoint: faultUrl })).toMatchObject(limited);
    expect((await fetchFile('documents', 'a', { endpoint: faultUrl })).json()).toMatchObject(limited);
  });

  it('treats no answer, no listing and a lost connection as an unavailable store', async () => {
    const away = { ok: false, error: 'provider_unavailable' };
    respond = () => undefined;
    expect(await list('documents', null, { endpoint: faultUrl }, serve(10, HASTY_MS))).toMatchObject(away);
    respond = (_request, response) => response.destroy();
    expect(await list('documents', null, { endpoint: faultUrl })).toMatchObject(away);
    respond = (_request, response) => response.end('<html>login</html>');
    expect(await list('documents', null, { endpoint: faultUrl })).toMatchObject(away);
  });

  it('signs exactly the host and path that it sends', async () => {
    let seen: IncomingMessage | undefined;
    respond = (request, response) => {
      seen = request;
      response.end('bytes');
    };
    await fetchFile('documents', 'a b', { endpoint: faultUrl, session_token: 'temporary' });
    expect(seen?.url).toBe('/documents/a%20b');
    expect(seen?.headers).toMatchObject({ host: new URL(faultUrl).host, 'x-amz-security-token': 'temporary' });
    expect(seen?.headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
  });
});
