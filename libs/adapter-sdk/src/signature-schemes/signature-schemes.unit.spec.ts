import { createHash, createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto';
import { PreparedScheme, schemeProblem, type SignatureScheme, signRequest } from '../index.js';

const nowMs = Date.parse('2026-01-02T03:04:05Z');
const seconds = String(nowMs / 1_000);
const secret = 'a secret of the sender';
const body = Buffer.from('{"id":7,"type":"paid","sign":{"at":"1767323045","by":"z"}}');
const url = 'https://hooks.example/api/v1/webhooks/t?a=1';
const fields = ['signing_secret', 'signing_secret_next'];
const mac = (text: string, { by = 'sha256', key = secret as string | Buffer, as = 'hex' as 'hex' | 'base64' } = {}) =>
  createHmac(by, key).update(text).digest(as);
const b64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

type Headers = Record<string, string>;
interface Given {
  declared: Partial<SignatureScheme> & Pick<SignatureScheme, 'scheme'>;
  headers?: Headers;
  secrets?: Record<string, string>;
  at?: string;
  sent?: Buffer;
}

function verdictOf({ declared, headers = {}, secrets = { signing_secret: secret }, at = url, sent = body }: Given) {
  const scheme = new PreparedScheme({ secret_fields: fields, ...declared });
  const verdict = scheme.check(secrets, { method: 'POST', url: at, headers }, [sent], nowMs);
  return verdict.ok ? verdict.scheme : verdict.error;
}

const ed = generateKeyPairSync('ed25519');
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: typeof ed.publicKey): string => key.export({ type: 'spki', format: 'pem' }).toString();
const raw = (as: 'hex' | 'base64'): string =>
  (ed.publicKey.export({ type: 'spki', format: 'der' }) as Buffer).subarray(-32).toString(as);
const text = Buffer.concat([Buffer.from(seconds), body]);
const hexKey = '00ff'.repeat(8);
const base64Key = Buffer.alloc(24, 7).toString('base64');
const svix = mac(`msg_1.${seconds}.${body}`, { key: Buffer.alloc(24, 7), as: 'base64' });
const jwt = (claims: object, alg = 'HS256', key = secret): string => {
  const head = `${b64url({ alg })}.${b64url(claims)}`;
  return `${head}.${createHmac('sha256', key).update(head).digest('base64url')}`;
};
const digest = createHash('sha256').update(body);
const bodyHex = digest.copy().digest('hex');
const bodyBase64 = digest.digest('base64');
const form = Buffer.from('b=2&a=1&b=1&c=%7B%22x%22%3A1%7D');
const formType = { 'content-type': 'application/x-www-form-urlencoded' };

const canonical: Given['declared'] = {
  scheme: 'hmac',
  header: 's',
  prefix: '',
  timestamp_header: 'x-time',
  signed_text: '{method}\n{path}\n{headers:x-signed}\n{body}',
};
/** @param lines the headers as they are signed */
const canonicalMac = (lines: string): string => mac(`POST\n/api/v1/webhooks/t?a=1\n${lines}\n${body}`);

const good: [string, Given][] = [
  [
    'headers that the request lists, the time and that list among them',
    {
      declared: canonical,
      headers: {
        s: canonicalMac(`x-a:1;x-signed:X-Time, x-a,x-signed;x-time:${seconds}`),
        'x-a': ' 1 ',
        'x-signed': 'X-Time, x-a,x-signed',
        'x-time': seconds,
      },
    },
  ],
  [
    'a time among the signatures, of which the second is ours',
    {
      declared: { scheme: 'hmac', header: 's', prefix: 'v1=', timestamp_entry: 't' },
      headers: { s: `t=${seconds},v1=${mac('other')},v1=${mac(`${seconds}.${body}`)},v0=zz` },
    },
  ],
  [
    'a time in milliseconds, behind the body',
    {
      declared: {
        scheme: 'hmac',
        header: 's',
        prefix: 'd=',
        timestamp_entry: 'v',
        timestamp_unit: 'ms',
        signed_text: '{body}{timestamp}',
      },
      headers: { s: `v=${nowMs},d=${mac(`${body}${nowMs}`)}` },
    },
  ],
  [
    'a time in ISO 8601',
    {
      declared: {
        scheme: 'hmac',
        header: 's',
        prefix: '',
        encoding: 'base64',
        timestamp_header: 'X-T',
        timestamp_unit: 'iso',
        signed_text: '{timestamp}{body}',
      },
      headers: { s: mac(`2026-01-02T03:04:00.000Z${body}`, { as: 'base64' }), 'x-t': '2026-01-02T03:04:00.000Z' },
    },
  ],
  [
    'brackets around what is signed',
    {
      declared: {
        scheme: 'hmac',
        header: 's',
        prefix: '',
        timestamp_header: 'x-t',
        signed_text: '[{timestamp};{body}]',
      },
      headers: { s: mac(`[${seconds};${body}]`), 'x-t': seconds },
    },
  ],
  [
    'a key in hex',
    {
      declared: { scheme: 'hmac', header: 's', prefix: '', key: 'hex' },
      headers: { s: mac(String(body), { key: Buffer.from(hexKey, 'hex') }) },
      secrets: { signing_secret: hexKey },
    },
  ],
  [
    'a key in base64',
    {
      declared: { scheme: 'hmac', header: 's', prefix: '', key: 'base64', algorithm: 'sha512' },
      headers: { s: mac(String(body), { by: 'sha512', key: Buffer.alloc(24, 7) }) },
      secrets: { signing_secret: base64Key },
    },
  ],
  [
    'the public URL before the body',
    {
      declared: { scheme: 'hmac', header: 's', prefix: '', encoding: 'base64', signed_text: '{url}{body}' },
      headers: { s: mac(`${url}${body}`, { as: 'base64' }) },
    },
  ],
  [
    'method, unescaped URI, body and time',
    {
      declared: {
        scheme: 'hmac',
        header: 's',
        prefix: '',
        timestamp_header: 'x-t',
        timestamp_unit: 'ms',
        signed_text: '{method}{uri}{body}{timestamp}',
      },
      headers: { s: mac(`POSThttps://hooks.example/t?q=a:b${body}${nowMs}`), 'x-t': String(nowMs) },
      at: 'https://hooks.example/t?q=a%3Ab',
    },
  ],
  [
    'the sorted fields of a form',
    {
      declared: {
        scheme: 'hmac',
        header: 's',
        prefix: '',
        algorithm: 'sha1',
        encoding: 'base64',
        signed_text: '{url}{params}',
      },
      headers: { ...formType, s: mac(`${url}a1b1b2c{"x":1}`, { by: 'sha1', as: 'base64' }) },
      sent: form,
    },
  ],
  [
    'the digest of the body in the URL',
    {
      declared: {
        scheme: 'hmac',
        header: 's',
        prefix: '',
        signed_text: '{url}{params}',
        body_hash_query: 'bodySHA256',
      },
      headers: { s: mac(`${url}&bodySHA256=${bodyHex}`) },
      at: `${url}&bodySHA256=${bodyHex}`,
    },
  ],
  [
    'a header, a parameter and a value of the body, around it',
    {
      declared: { scheme: 'hmac', header: 's', prefix: '', signed_text: '{body}.{header:X-Nonce}.{query:a}.{/id}' },
      headers: { s: mac(`${body}.n1.1.7`), 'x-nonce': 'n1' },
    },
  ],
  [
    'values of the body, and the signature among them',
    {
      declared: {
        scheme: 'hmac',
        pointer: '/sign/by',
        prefix: '',
        timestamp_pointer: '/sign/at',
        signed_text: '{timestamp}{/id}{/none}',
      },
      sent: Buffer.from(`{"id":7,"sign":{"at":"${seconds}","by":"${mac(`${seconds}7`)}"}}`),
    },
  ],
  [
    'a signature in the URL',
    { declared: { scheme: 'hmac', query: 'sig', prefix: '' }, at: `${url}&sig=${mac(String(body))}` },
  ],
  [
    'a signature in one of several headers',
    {
      declared: { scheme: 'hmac', header: 'x-sig-*', prefix: '', encoding: 'base64' },
      headers: { 'x-sig-1': mac('other', { as: 'base64' }), 'x-sig-2': mac(String(body), { as: 'base64' }) },
    },
  ],
  [
    'Standard Webhooks under other names',
    {
      declared: { scheme: 'standard-webhooks', header: 'svix-signature' },
      headers: { 'svix-id': 'msg_1', 'svix-timestamp': seconds, 'svix-signature': `v1,${svix}` },
      secrets: { signing_secret: `whsec_${base64Key}` },
    },
  ],
  ...(['hex', 'base64'] as const).map((as): [string, Given] => [
    `Ed25519, by a bare key in ${as}`,
    {
      declared: {
        scheme: 'ed25519',
        header: 's',
        encoding: as,
        timestamp_header: 'x-t',
        signed_text: '{timestamp}{body}',
      },
      headers: { s: signWith(null, text, ed.privateKey).toString(as), 'x-t': seconds },
      secrets: { signing_secret: raw(as) },
    },
  ]),
  [
    'ECDSA',
    {
      declared: {
        scheme: 'ecdsa-p256',
        header: 's',
        encoding: 'base64',
        timestamp_header: 'x-t',
        signed_text: '{timestamp}{body}',
      },
      headers: { s: signWith('sha256', text, ec.privateKey).toString('base64'), 'x-t': seconds },
      secrets: { signing_secret: pem(ec.publicKey) },
    },
  ],
  [
    'RSA',
    {
      declared: { scheme: 'rsa', header: 's', encoding: 'base64' },
      headers: { s: signWith('sha256', body, rsa.privateKey).toString('base64') },
      secrets: { signing_secret: pem(rsa.publicKey) },
    },
  ],
  [
    'a token with the digest of the body in hex',
    {
      declared: { scheme: 'jwt-hs256', body_hash_claim: 'sha256' },
      headers: { authorization: `Bearer ${jwt({ sha256: bodyHex })}` },
    },
  ],
  [
    'a bare token with it in base64, and an expiry',
    {
      declared: { scheme: 'jwt-hs256', header: 'x-jwt', body_hash_claim: 'h' },
      headers: { 'x-jwt': jwt({ h: bodyBase64, exp: nowMs / 1_000 + 9 }) },
    },
  ],
  [
    'a token by ES256',
    {
      declared: { scheme: 'jwt-es256' },
      headers: {
        authorization: `Bearer ${(() => {
          const head = `${b64url({ alg: 'ES256' })}.${b64url({ iat: nowMs / 1_000 })}`;
          const signature = signWith('sha256', Buffer.from(head), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
          return `${head}.${signature.toString('base64url')}`;
        })()}`,
      },
      secrets: { signing_secret: pem(ec.publicKey) },
    },
  ],
  ['a shared secret', { declared: { scheme: 'secret', header: 'x-token' }, headers: { 'x-token': secret } }],
  [
    'a shared secret behind a prefix',
    {
      declared: { scheme: 'secret', header: 'authorization', prefix: 'Bearer ' },
      headers: { authorization: `Bearer ${secret}` },
    },
  ],
  [
    'a user and password',
    {
      declared: { scheme: 'basic' },
      headers: { authorization: `Basic ${Buffer.from('hook:päss:word').toString('base64')}` },
      secrets: { signing_secret: 'hook:päss:word' },
    },
  ],
];

const changed = (headers: Headers = {}): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll('=', '=x').replace(/^./, '~')]),
  );

describe.each(good)('%s', (_what, given) => {
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
