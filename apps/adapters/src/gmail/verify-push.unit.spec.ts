import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { pino } from 'pino';
import { createAdapterServer, type JsonObject } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import { createGmailAdapter } from './gmail.adapter.js';
import { PATIENT_MS } from '../testing/patience.js';

const AUDIENCE = 'https://gatehouse.example/gmail';
const ACCOUNT = 'push@project.iam.gserviceaccount.com';
const CREDENTIALS = { pubsub_audience: AUDIENCE, pubsub_service_account: ACCOUNT };
const NOW = new Date('2026-11-21T02:48:13Z');
const ISSUED = NOW.getTime() / 1000 - 60;

const egress = createEgress({ allow: ['127.0.0.1'] });
let server: Server;
let app: ReturnType<typeof createAdapterServer>;
let key: CryptoKey;
let stranger: CryptoKey;
let fetches = 0;
let available = true;

beforeAll(async () => {
  const pair = await generateKeyPair('RS256');
  key = pair.privateKey;
  stranger = (await generateKeyPair('RS256')).privateKey;
  const keySet = JSON.stringify({
    keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }],
  });
  server = createServer((_request, response) => {
    fetches++;
    response.writeHead(available ? 200 : 503).end(available ? keySet : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  app = serve();
});
beforeEach(() => {
  available = true;
});
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const serve = () =>
  createAdapterServer(
    [
      createGmailAdapter({
        fetch: egress.fetch,
        timeoutMs: PATIENT_MS,
        jwksUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/certs`,
      }),
    ],
    { version: 'test', logger: pino({ level: 'silent' }) },
  );

/** The claims of a token that Pub/Sub sends, as Google documents them. */
const claims = (changes: JsonObject = {}): JsonObject => ({
  aud: AUDIENCE,
  azp: '113774264463038321964',
  email: ACCOUNT,
  email_verified: true,
  exp: ISSUED + 3600,
  iat: ISSUED,
  iss: 'https://accounts.google.com',
  sub: '113774264463038321964',
  ...changes,
});
const sign = (changes: JsonObject = {}, by = key) =>
  new SignJWT(claims(changes)).setProtectedHeader({ alg: 'RS256', kid: 'k1', typ: 'JWT' }).sign(by);

async function verify(authorization: string | undefined, credentials: JsonObject = CREDENTIALS, by = app) {
  const answer = await by.inject({
    method: 'POST',
    url: '/gmail/verify-webhook',
    payload: {
      credentials,
      request: { headers: { ...(authorization && { Authorization: authorization }) }, body: '{}' },
      received_at: NOW.toISOString(),
    },
  });
  if (answer.statusCode !== 200) return answer.statusCode;
  const { ok, scheme, error } = answer.json<JsonObject>();
  return ok === true ? scheme : error;
}

describe('the token of a push', () => {
  it("is accepted when Google signed it for this audience and the subscription's account", async () => {
    expect(await verify(`Bearer ${await sign()}`)).toBe('jwt');
    expect(await verify(`bearer ${await sign({ iss: 'accounts.google.com' })}`)).toBe('jwt');
  });

  it('is checked against keys that are fetched once', async () => {
    const before = fetches;
    for (let index = 0; index < 5; index++) await verify(`Bearer ${await sign()}`);
    expect(fetches - before).toBeLessThanOrEqual(1);
  });

  it.each([
    ['another audience', { aud: 'https://gatehouse.example/other' }],
    ['another account', { email: 'eve@project.iam.gserviceaccount.com' }],
    ['an address that is not verified', { email_verified: false }],
    ['an address that is verified in words', { email_verified: 'true' }],
    ['another issuer', { iss: 'https://accounts.example' }],
  ])('is refused with %s', async (_what, changes) => {
    expect(await verify(`Bearer ${await sign(changes)}`)).toBe('bad_signature');
  });

  it('is refused when another key signed it, when it is unsigned, and when a byte differs', async () => {
    expect(await verify(`Bearer ${await sign({}, stranger)}`)).toBe('bad_signature');
    const unsigned = [{ alg: 'none' }, claims()].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    expect(await verify(`Bearer ${unsigned.join('.')}.`)).toBe('bad_signature');
    const token = await sign();
    const at = token.indexOf('.') + 5;
    const flipped = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    expect(await verify(`Bearer ${flipped}`)).toBe('bad_signature');
  });

  it('is refused when it is missing, expired or from the future', async () => {
    expect(await verify(undefined)).toBe('missing_signature');
    expect(await verify('Basic abc')).toBe('missing_signature');
    expect(await verify(`Bearer ${await sign({ exp: ISSUED - 3600, iat: ISSUED - 7200 })}`)).toBe('stale_timestamp');
    expect(await verify(`Bearer ${await sign({ iat: ISSUED + 3600, exp: ISSUED + 7200 })}`)).toBe('stale_timestamp');
  });

  it.each([
    [{}],
    [{ pubsub_audience: AUDIENCE }],
    [{ pubsub_service_account: ACCOUNT }],
    [{ ...CREDENTIALS, pubsub_audience: ' ' }],
  ])('is refused while the settings are %j', async (credentials) => {
    expect(await verify(`Bearer ${await sign()}`, credentials)).toBe('not_configured');
  });

  it('is neither valid nor invalid while the keys cannot be fetched', async () => {
    available = false;
    expect(await verify(`Bearer ${await sign()}`, CREDENTIALS, serve())).toBe(503);
  });
});
