import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { connectBack } from '../testing/connect-back.js';
import {
  fakeTokenEndpoint,
  type FakeTokenEndpoint,
  oauthCredential,
  type TokenAnswerOf,
} from '../testing/fake-token-endpoint.js';
import { unboundPolicy, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const keys = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
let vault: VaultWorld;
let provider: FakeTokenEndpoint;
let count = 0;

beforeAll(async () => {
  provider = await fakeTokenEndpoint();
  vault = await vaultWorld(keys, { SERVICE_POLICY: unboundPolicy, TOKEN_TIMEOUT_MS: 2_000 });
});
afterAll(async () => {
  await vault?.close();
  await provider?.close();
});

const html = { 'content-type': 'text/html' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const jwt = (claims: unknown): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

/** Each has a token in it, so each connects: a code can be used only once. */
const readable: [string, TokenAnswerOf][] = [
  ['a status of 201 and a text type', { status: 201, body: { access_token: 'at' }, headers: html }],
  ['a form', { body: 'access_token=at&expires_in=3600&scope=a%20b', headers: form }],
  ['a byte order mark', { body: '\uFEFF{"access_token":"at"}' }],
  ['a life beyond all dates', { body: { access_token: 'at', refresh_token: 'rt', expires_in: 1e300 } }],
  ['a negative life in text', { body: { access_token: 'at', refresh_token: 'rt', expires_in: '-1' } }],
  ['a life that is a list', { body: { access_token: 'at', expires_in: [3_600], refresh_token_expires_in: {} } }],
  ['a life that is a date', { body: { access_token: 'at', expires_at: '2999-01-01T00:00:00Z' } }],
  ['an ID token that is no token', { body: { access_token: 'at', id_token: 'no.token' } }],
  ['an ID token that is an object', { body: { access_token: 'at', id_token: { sub: 'x' } } }],
  ['an ID token without claims', { body: { access_token: 'at', id_token: jwt(null) } }],
  ['a refresh token that is a number', { body: { access_token: 'at', refresh_token: 5 } }],
  ['an unknown token type', { body: { access_token: 'at', token_type: 'MAC' } }],
  ['a token type that is an object', { body: { access_token: 'at', token_type: {} } }],
  ['scopes of any kind', { body: { access_token: 'at', scope: ['a', 7, null, 'b\u0000', 'c'.repeat(300)] } }],
  ['a scope that is an object', { body: { access_token: 'at', scope: { a: true } } }],
  ['very many scopes', { body: { access_token: 'at', scope: 'scope '.repeat(5_000) } }],
  ['an error beside it', { body: { access_token: 'at', error: 'invalid_grant' } }],
  ['empty errors', { body: { access_token: 'at', error: null, error_description: '' } }],
  ['a JWT whose times are words', { body: { access_token: jwt({ iat: 'now', exp: 'then' }) } }],
  ['names of every object', { body: '{"access_token":"at","__proto__":{"a":1},"constructor":"x","toString":1}' }],
  ['texts that Postgres does not store', { body: { access_token: 'at', note: 'a\u0000b', other: '\uD800' } }],
  ['a deep answer', { body: `{"access_token":"at","deep":${'['.repeat(5_000)}${']'.repeat(5_000)}}` }],
  ['a long token', { body: { access_token: 'a'.repeat(100_000) } }],
];

/** None has a token that could be sent. */
const unreadable: [string, TokenAnswerOf][] = [
  ['nothing', { body: '' }],
  ['no content', { status: 204, body: '' }],
  ['a page', { body: '<html>', headers: html }],
  ['null', { body: 'null' }],
  ['a number', { body: '5' }],
  ['a text', { body: '"at"' }],
  ['a list', { body: [{ access_token: 'at' }] }],
  ['half of an object', { body: '{"access_token":"at"' }],
  ['a token that is an object', { body: { access_token: { value: 'at' } } }],
  ['a token that is a list', { body: { access_token: ['at'] } }],
  ['a token that is empty', { body: { access_token: '' } }],
  ['a token with a line break', { body: { access_token: 'a\r\nb' } }],
  ['a token with letters that no header carries', { body: { access_token: 'ä' } }],
  ['an error inside a success', { body: { ok: false, error: 'invalid_code' } }],
  ['an error that is an object', { status: 400, body: { error: { type: { deep: 'x' }, message: ['y'] } } }],
  ['a number as an error', { status: 400, body: { error: 0, code: 1e300 } }],
  ['an error of 100 KB', { status: 400, body: { error: 'x'.repeat(100_000), error_description: 'y'.repeat(100_000) } }],
  ['a redirect', { status: 302, body: '', headers: { location: 'https://elsewhere.example' } }],
  ['a status without a meaning', { status: 299, body: 'odd' }],
  ['Retry-After in words', { status: 429, body: '', headers: { 'retry-after': 'soon' } }],
  ['Retry-After without end', { status: 503, body: '', headers: { 'retry-after': '9'.repeat(400) } }],
  ['more than is read', { body: { access_token: 'a'.repeat(300_000) } }],
  ['a broken connection', 'drop'],
];

const resolve = (id: string) => vault.internal('POST', 'credentials/resolve', { credential_id: id });
const fresh = (grant: string): Promise<string> => {
  // Each has a client of its own, so that no pause of another one holds.
  const fields = { client_id: `client ${(count += 1)}` };
  return oauthCredential(vault, `credential ${count}`, provider.config, { grant, fields });
};

describe('an answer to a code', () => {
  it.each(readable)('connects if it has a token and %s', async (_what, answer) => {
    const id = await fresh('authorization_code');
    provider.answer(() => answer);
    expect((await connectBack(vault, id)).status).toBe(200);
    const given = await resolve(id);
    expect(given.status).toBe(200);
    expect(given.body.fields['access_token']).toBeTruthy();
  });

  it.each(unreadable)('is reported if it is %s, and the credential can be connected then', async (_what, answer) => {
    const id = await fresh('authorization_code');
    provider.answer(() => answer);
    const { status, text } = await connectBack(vault, id);
    expect({ status, text }).toEqual({ status: 502, text: expect.stringContaining('exchange_failed') });
    provider.answer(() => ({ body: { access_token: 'at' } }));
    expect((await connectBack(vault, id)).status).toBe(200);
    expect((await resolve(id)).status).toBe(200);
  });

  it('replaces what an earlier one brought besides tokens', async () => {
    const id = await fresh('authorization_code');
    provider.answer(() => ({ body: { access_token: 'at', instance_url: 'https://na1.example', region: 'eu' } }));
    await connectBack(vault, id);
    provider.answer(() => ({ body: { access_token: 'at 2', region: 'us' } }));
    await connectBack(vault, id);
    const { fields } = (await resolve(id)).body;
    expect(fields).toMatchObject({ access_token: 'at 2', region: 'us' });
    expect(fields).not.toHaveProperty('instance_url');
  });
});

describe('a callback', () => {
  it.each<[string, Record<string, string>, number]>([
    ['without a code', {}, 400],
    ['with an empty code', { code: '' }, 400],
    ['with a code that is too long', { code: 'c'.repeat(5_000) }, 400],
    ['with an error in strange letters', { error: 'ä\r\n<script>' }, 400],
    ['with an error and a code', { error: 'access_denied', code: 'a-code' }, 400],
    ['with a code of any bytes', { code: '\uFFFFä &=+%' }, 200],
    ['with an issuer that nobody declared', { code: 'a-code', iss: 'https://odd.example' }, 200],
    ['with a token of its own', { code: 'a-code', access_token: 'x', token_type: 'y', id_token: 'z' }, 200],
  ])('%s is understood (%#)', async (_what, query, status) => {
    const id = await fresh('authorization_code');
    provider.answer(() => ({ body: { access_token: 'at' } }));
    const asked = provider.requests.length;
    expect((await connectBack(vault, id, query)).status).toBe(status);
    // What is refused costs no code.
    expect(provider.requests.length - asked).toBe(status === 200 ? 1 : 0);
  });
});

describe('an answer to client credentials', () => {
  it.each(readable)('gives a token if it has one and %s', async (_what, answer) => {
    const id = await fresh('client_credentials');
    provider.answer(() => answer);
    const given = await resolve(id);
    expect(given.status).toBe(200);
    expect(given.body.fields['access_token']).toBeTruthy();
  });

  it.each(unreadable)('is a reason to wait if it is %s', async (_what, answer) => {
    const id = await fresh('client_credentials');
    provider.answer(() => answer);
    expect(await resolve(id)).toMatchObject({ status: 503, body: { code: 'refresh_pending' } });
    const [row] = await vault.query('SELECT state FROM vault.oauth_grant WHERE credential_id = $1', [id]);
    expect(['active', 'degraded']).toContain(row?.['state']);
  });
});
