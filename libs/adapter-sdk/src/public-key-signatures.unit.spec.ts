import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPairSync, sign } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import { ecdsaPublicKeys, localJwtKeys, ProviderUnavailable, remoteJwtKeys, verifyEcdsa, verifyJwt } from './index.js';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const base64 = (key: ReturnType<typeof pair>['publicKey']) =>
  key.export({ type: 'spki', format: 'der' }).toString('base64');

describe('ECDSA', () => {
  const [current, next] = [pair(), pair()];
  const payload = ['1600112502', '[{"email":"a@example.com"}]\r\n'];
  const signature = sign('sha256', Buffer.from(payload.join('')), current.privateKey).toString('base64');

  it('accepts either key of a rotation, as base64 or PEM, and refuses others', () => {
    const pem = current.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    for (const keys of [base64(current.publicKey), pem, [base64(next.publicKey), base64(current.publicKey)]]) {
      expect(verifyEcdsa({ keys: ecdsaPublicKeys(keys), payload, signature })).toBe(true);
    }
    expect(verifyEcdsa({ keys: ecdsaPublicKeys(base64(next.publicKey)), payload, signature })).toBe(false);
  });

  it('refuses a changed payload and malformed signatures without throwing', () => {
    const keys = ecdsaPublicKeys(base64(current.publicKey));
    expect(verifyEcdsa({ keys, payload: [...payload, ' '], signature })).toBe(false);
    for (const text of ['', 'AAAA', 'not base64!', signature.slice(0, -8), `${signature}A`, 'A'.repeat(5000)]) {
      expect(verifyEcdsa({ keys, payload, signature: text })).toBe(false);
    }
  });

  it('accepts no other type of key: an unusable one counts as not set', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey;
    for (const text of ['', 'garbage', '-----BEGIN nothing', base64(rsa), base64(p384)]) {
      expect(ecdsaPublicKeys(text)).toEqual([]);
    }
  });
});

describe('the JWT of a push', () => {
  const NOW = new Date('2026-11-21T02:48:13Z');
  const issuer = 'https://accounts.google.com';
  const audience = 'https://gatehouse.example/hook';
  const claims = { email: 'push@project.iam.gserviceaccount.com', email_verified: true };
  let jwks: { keys: JWK[] };
  let privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  let server: Server;
  let url: string;
  let answer: { status: number; body: () => string };

  beforeAll(async () => {
    const keys = await generateKeyPair('RS256', { extractable: true });
    privateKey = keys.privateKey;
    jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256' }] };
    server = createServer((_request, response) => response.writeHead(answer.status).end(answer.body()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/certs`;
  });
  beforeEach(() => {
    answer = { status: 200, body: () => JSON.stringify(jwks) };
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function token(
    changes: { iss?: string; aud?: string; iat?: number; exp?: number; email?: string; kid?: string } = {},
  ) {
    const seconds = NOW.getTime() / 1000;
    const jwt = new SignJWT({ ...claims, ...(changes.email && { email: changes.email }) })
      .setProtectedHeader({ alg: 'RS256', kid: changes.kid ?? 'k1' })
      .setIssuer(changes.iss ?? issuer)
      .setAudience(changes.aud ?? audience)
      .setIssuedAt(changes.iat ?? seconds)
      .setExpirationTime(changes.exp ?? seconds + 3600);
    return `Bearer ${await jwt.sign(privateKey)}`;
  }
  const check = async (authorization: string | undefined, changes: Partial<Parameters<typeof verifyJwt>[0]> = {}) => {
    const keys = localJwtKeys(jwks);
    const result = await verifyJwt({ authorization, keys, issuer, audience, claims, now: NOW, ...changes });
    return result.ok ? result.scheme : result.error;
  };

  it('is accepted when valid, measured at the time of receipt', async () => {
    expect(await check(await token())).toBe('jwt');
    expect(await check(await token(), { now: new Date(NOW.getTime() + 3_600_000 + 301_000) })).toBe('stale_timestamp');
    expect(await check(await token({ iat: NOW.getTime() / 1000 + 400 }))).toBe('stale_timestamp');
  });

  it('is refused with a different issuer, audience, account or key, when missing, and when unsigned', async () => {
    expect(await check(await token({ iss: 'https://evil.example' }))).toBe('bad_signature');
    expect(await check(await token({ aud: 'https://elsewhere.example' }))).toBe('bad_signature');
    expect(await check(await token({ email: 'other@project.iam.gserviceaccount.com' }))).toBe('bad_signature');
    expect(await check(await token({ kid: 'unknown' }))).toBe('bad_signature');
    const [header, payload] = (await token()).split('.');
    expect(await check(`${header}.${payload}.AAAA`)).toBe('bad_signature');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(await check(`Bearer ${none}.${payload}.`)).toBe('bad_signature');
    for (const text of [undefined, '', 'Basic abc', 'Bearer']) expect(await check(text)).toBe('missing_signature');
    expect(await check('Bearer x.y.z')).toBe('bad_signature');
    expect(await check(await token(), { audience: '' })).toBe('not_configured');
  });

  it('is checked with keys that are fetched once and cached', async () => {
    let fetched = 0;
    answer = { status: 200, body: () => (fetched++, JSON.stringify(jwks)) };
    const keys = remoteJwtKeys(url);
    expect(await check(await token(), { keys })).toBe('jwt');
    expect(await check(await token(), { keys })).toBe('jwt');
    expect(fetched).toBe(1);
  });

  it('is neither valid nor invalid while the keys cannot be fetched', async () => {
    for (const broken of [
      { status: 500, body: () => '' },
      { status: 200, body: () => 'no JSON' },
    ]) {
      answer = broken;
      await expect(check(await token(), { keys: remoteJwtKeys(url) })).rejects.toThrow(ProviderUnavailable);
    }
    await expect(check(await token(), { keys: remoteJwtKeys('http://127.0.0.1:9/certs') })).rejects.toThrow(
      ProviderUnavailable,
    );
  });
});
