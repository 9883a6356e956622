import { generateKeyPairSync } from 'node:crypto';
import { PreparedScheme, schemeProblem, signRequest } from '../index.js';
import { goodRequests } from '../testing/good-requests.js';
import {
  base64Key,
  body,
  fields,
  formType,
  type Headers,
  nowMs,
  pem,
  secret,
  url,
  verdictOf,
} from '../testing/signed-requests.js';

const changed = (headers: Headers = {}): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll('=', '=x').replace(/^./, '~')]),
  );

describe.each(goodRequests)('%s', (_what, given) => {
  const { scheme } = given.declared;
  const isShared = scheme === 'secret' || scheme === 'basic';

  it('is accepted, also beside another secret, which is then named', () => {
    const name = scheme === 'hmac' ? `hmac-${given.declared.algorithm ?? 'sha256'}` : scheme;
    expect(verdictOf(given)).toBe(name);
    const { signing_secret: mine = secret } = given.secrets ?? {};
    const other =
      scheme === 'ed25519' || scheme === 'ecdsa-p256' || scheme === 'jwt-es256' || scheme === 'rsa'
        ? mine
        : base64Key.replace('B', 'C');
    const known = given.declared.key === 'hex' ? 'ff'.repeat(16) : other;
    const by = verdictOf({ ...given, secrets: { signing_secret: known, signing_secret_next: mine } });
    expect(by.startsWith(`${name} by signing_secret`)).toBe(true);
  });

  it('is refused with another secret, a changed body, no proof and a damaged one', () => {
    const wrong = { hmac: given.declared.key === 'hex' ? 'ab'.repeat(16) : Buffer.alloc(24, 9).toString('base64') };
    const key = {
      ed25519: pem(generateKeyPairSync('ed25519').publicKey),
      'ecdsa-p256': pem(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey),
    };
    const others: Record<string, string> = {
      ...key,
      'jwt-es256': key['ecdsa-p256'],
      rsa: pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
    };
    expect(verdictOf({ ...given, secrets: { signing_secret: others[scheme] ?? wrong.hmac } })).toBe('bad_signature');
    const isTokenOnly = scheme === 'jwt-es256';
    const sent = Buffer.from(
      String(given.sent ?? body)
        .replace('7', '8')
        .replace('b=2', 'b=3'),
    );
    if (!isShared && !isTokenOnly) expect(verdictOf({ ...given, sent })).toBe('bad_signature');
    expect(verdictOf({ ...given, secrets: {} })).toBe('not_configured');
    expect(verdictOf({ ...given, secrets: { signing_secret: '***' } })).toBe('weak_secret');
    if (given.headers && Object.keys(given.headers).some((name) => name !== 'content-type')) {
      expect(['missing_signature', 'missing_timestamp']).toContain(verdictOf({ ...given, headers: formType }));
      expect(verdictOf({ ...given, headers: changed(given.headers) })).not.toContain(
        scheme === 'hmac' ? 'hmac' : scheme,
      );
    }
  });

  it('is refused when its time is old or of the future', () => {
    const timed =
      Object.keys(given.declared).some((name) => name.startsWith('timestamp_')) || scheme === 'standard-webhooks';
    for (const off of [-310_000, 310_000]) {
      const prepared = new PreparedScheme({ secret_fields: fields, ...given.declared });
      const request = { method: 'POST', url: given.at ?? url, headers: given.headers ?? {} };
      const verdict = prepared.check(
        given.secrets ?? { signing_secret: secret },
        request,
        [given.sent ?? body],
        nowMs + off,
      );
      if (timed || !verdict.ok) expect(verdict).toMatchObject({ ok: false, error: 'stale_timestamp' });
    }
  });

  it('has no contradiction in it, and is signed by the Simulator where the platform can', () => {
    expect(schemeProblem(given.declared)).toBeNull();
    const declared = { secret_fields: fields, ...given.declared };
    const mine = given.secrets?.['signing_secret'] ?? secret;
    const sent = given.sent ?? body;
    const plain = Object.fromEntries(Object.entries(given.headers ?? {}).filter(([name]) => name === 'content-type'));
    const request = { method: 'POST', url, headers: plain, body: sent };
    const proof = signRequest(declared, mine, request, nowMs);
    if (proof === null) return;
    const added = new URLSearchParams(proof.query).toString();
    const at = added === '' ? url : `${url}&${added}`;
    expect(verdictOf({ ...given, at, headers: { ...plain, ...proof.headers } })).not.toMatch(/_/);
  });
});
