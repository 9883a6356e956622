import { createHash, generateKeyPairSync, sign as signWith } from 'node:crypto';
import {
  b64url,
  base64Key,
  body,
  bodyHex,
  canonical,
  canonicalMac,
  ec,
  formType,
  type Given,
  jwt,
  mac,
  nowMs,
  pem,
  rsa,
  seconds,
  secret,
  url,
} from './signed-requests.js';

const ed = generateKeyPairSync('ed25519');
const raw = (as: 'hex' | 'base64'): string =>
  (ed.publicKey.export({ type: 'spki', format: 'der' }) as Buffer).subarray(-32).toString(as);
const text = Buffer.concat([Buffer.from(seconds), body]);
const hexKey = '00ff'.repeat(8);
const svix = mac(`msg_1.${seconds}.${body}`, { key: Buffer.alloc(24, 7), as: 'base64' });
const bodyBase64 = createHash('sha256').update(body).digest('base64');
const form = Buffer.from('b=2&a=1&b=1&c=%7B%22x%22%3A1%7D');

/** Each kind of declaration with a request that holds to it. */
export const goodRequests: [string, Given][] = [
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
