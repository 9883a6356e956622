import {
  b64url,
  body,
  bodyHex,
  canonical,
  canonicalMac,
  ec,
  type Given,
  jwt,
  mac,
  nowMs,
  pem,
  rsa,
  seconds,
  secret,
  url,
  verdictOf,
} from '../testing/signed-requests.js';

it.each<[string, Given, string]>([
  [
    'a form signature over JSON',
    { declared: { scheme: 'hmac', header: 's', prefix: '', signed_text: '{url}{params}' }, headers: { s: mac(url) } },
    'bad_signature',
  ],
  [
    'another digest in the URL',
    {
      declared: { scheme: 'hmac', header: 's', prefix: '', signed_text: '{url}{params}', body_hash_query: 'h' },
      headers: { s: mac(`${url}&h=${'0'.repeat(64)}`) },
      at: `${url}&h=${'0'.repeat(64)}`,
    },
    'bad_signature',
  ],
  [
    'a covered header that is absent',
    {
      declared: { scheme: 'hmac', header: 's', prefix: '', signed_text: '{body}{header:n}' },
      headers: { s: mac(String(body)) },
    },
    'missing_signature',
  ],
  [
    'a token by no algorithm',
    {
      declared: { scheme: 'jwt-hs256' },
      headers: { authorization: `Bearer ${b64url({ alg: 'none' })}.${b64url({ iat: nowMs / 1_000 })}.AAAA` },
    },
    'bad_signature',
  ],
  [
    'a token that names another algorithm',
    { declared: { scheme: 'jwt-hs256' }, headers: { authorization: `Bearer ${jwt({ iat: nowMs / 1_000 }, 'HS512')}` } },
    'bad_signature',
  ],
  [
    'a token without a time',
    { declared: { scheme: 'jwt-hs256' }, headers: { authorization: `Bearer ${jwt({})}` } },
    'stale_timestamp',
  ],
  [
    'an expired token',
    { declared: { scheme: 'jwt-hs256' }, headers: { authorization: `Bearer ${jwt({ exp: 1 })}` } },
    'stale_timestamp',
  ],
  [
    'a token whose expiry is text',
    { declared: { scheme: 'jwt-hs256' }, headers: { authorization: `Bearer ${jwt({ exp: '9999999999' })}` } },
    'stale_timestamp',
  ],
  [
    'a token of another body',
    {
      declared: { scheme: 'jwt-hs256', body_hash_claim: 'h' },
      headers: { authorization: `Bearer ${jwt({ h: bodyHex.replace(/./g, '0') })}` },
    },
    'bad_signature',
  ],
  [
    'a public key used as an HMAC key',
    {
      declared: { scheme: 'jwt-es256' },
      headers: { authorization: `Bearer ${jwt({ iat: nowMs / 1_000 }, 'HS256', pem(ec.publicKey))}` },
      secrets: { signing_secret: pem(ec.publicKey) },
    },
    'bad_signature',
  ],
  [
    'a key of another kind',
    {
      declared: { scheme: 'ed25519', header: 's' },
      headers: { s: 'aa' },
      secrets: { signing_secret: pem(rsa.publicKey) },
    },
    'weak_secret',
  ],
  [
    'a local time without its zone',
    {
      declared: { scheme: 'hmac', header: 's', timestamp_header: 't', timestamp_unit: 'iso' },
      headers: { s: 'sha256=aa', t: '2026-01-02T03:04:05' },
    },
    'stale_timestamp',
  ],
  [
    'the secret without its prefix',
    { declared: { scheme: 'secret', header: 'authorization', prefix: 'Bearer ' }, headers: { authorization: secret } },
    'bad_signature',
  ],
])('%s is refused', (_what, given, code) => {
  expect(verdictOf(given)).toBe(code);
});

describe('a list of signed headers', () => {
  it.each([
    ['lacks the time', 'x-signed', 'x-signed:x-signed'],
    ['lacks itself', 'x-time', `x-time:${seconds}`],
    ['names a header that is not there', 'x-none,x-signed,x-time', `x-signed:x-none,x-signed,x-time;x-time:${seconds}`],
    ['is empty', '', ''],
  ])('is refused where it %s, although the signature is over all that it names', (_what, list, lines) => {
    const headers = { s: canonicalMac(lines), 'x-signed': list, 'x-time': seconds };
    expect(verdictOf({ declared: canonical, headers })).toBe('missing_signature');
  });
});
