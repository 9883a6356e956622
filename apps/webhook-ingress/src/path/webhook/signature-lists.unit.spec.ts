import { signStandardWebhooks, verifyHmac, verifyStandardWebhooks } from '#libs/adapter-sdk';
import type { DeclaredVerification } from '#libs/contracts';
import { createHmac } from 'node:crypto';
import { verifySignature } from './verify-signature.js';

const body = Buffer.from('{"task":"hi"}');
const now = new Date('2026-01-02T03:04:05Z');
const [first, second, foreign] = ['the first secret', 'the second secret', 'a foreign secret'].map((text) =>
  Buffer.from(text).toString('base64'),
);
const secret_fields = ['signing_secret', 'signing_secret_next'];
const fields = { signing_secret: first!, signing_secret_next: second! };
const digest = (secret: string | undefined, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', secret ?? '')
    .update(body)
    .digest(encoding);

/** By the ingress and by what adapters use: both have to say the same. */
function accepts(header: string, prefix: string, encoding: 'hex' | 'base64'): boolean {
  const declared: DeclaredVerification = { scheme: 'hmac', header: 'x-signature', prefix, encoding, secret_fields };
  const ingress = accepted(declared, { 'x-signature': header });
  const secret = [first!, second!];
  const sdk = verifyHmac({ secret, payload: body, signature: header, prefix, encoding });
  expect({ header, sdk }).toEqual({ header, sdk: ingress });
  return ingress;
}

function accepted(declared: DeclaredVerification, headers: Record<string, string>): boolean {
  try {
    const request = { method: 'POST', url: 'https://hooks.example/x', headers };
    return verifySignature(declared, fields, request, [body], now.getTime()).scheme !== '';
  } catch (error) {
    expect(error).toMatchObject({ status: 401, code: 'bad_signature' });
    return false;
  }
}

const hex = digest(first, 'hex');
const [ours, next, other] = [first, second, foreign].map((secret) => digest(secret, 'base64'));
const urlSafe = (ours ?? '').replaceAll('+', '-').replaceAll('/', '_');
/** Its last character has two bits that are in no byte. */
const sameBytes = (ours ?? '').replace(
  /(.)=$/,
  (_text, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`,
);

it.each([
  ['alone', 'sha256=', `sha256=${hex}`],
  ['of the other secret', 'sha256=', `sha256=${digest(second, 'hex')}`],
  ['in capitals', 'sha256=', `sha256=${hex.toUpperCase()}`],
  ['before another one', 'sha256=', `sha256=${hex}, sha256=${digest(foreign, 'hex')}`],
  ['behind another one', 'v1=', `v1=${digest(foreign, 'hex')},v1=${hex}`],
  ['separated by a space', 'v1=', `v1=${digest(foreign, 'hex')} v1=${hex}`],
  ['separated by a semicolon', 'h1=', `ts=1700000000;h1=${hex}`],
  ['beside a time and another version', 'v1=', `t=1700000000,v1=${digest(foreign, 'hex')},v1=${hex},v0=${hex}`],
  ['without a prefix, in a list', '', `${digest(foreign, 'hex')}, ${hex}`],
  ['with spaces around it', 'sha256=', `  sha256=${hex} ,`],
])('a signature in hex is found: %s', (_where, prefix, header) => {
  expect(accepts(header, prefix, 'hex')).toBe(true);
});

it.each([
  ['garbage', 'sha256=', `sha256=${hex}zz`],
  ['another digit', 'sha256=', `sha256=${hex}0`],
  ['two more digits', 'sha256=', `sha256=${hex}00`],
  ['one fewer', 'sha256=', `sha256=${hex.slice(0, -1)}`],
  ['junk behind a space', 'sha256=', `sha256=${hex} zz`],
  ['junk behind a comma', 'sha256=', `sha256=${hex},zz`],
  ['junk before it', 'sha256=', `zz sha256=${hex}`],
  ['junk, without a prefix', '', `${hex} zz`],
  ['a NUL', 'sha256=', `sha256=${hex}\0`],
  ['the prefix twice', 'sha256=', `sha256=sha256=${hex}`],
  ['another prefix', 'sha256=', `sha1=${hex}`],
  ['no digest', 'sha256=', 'sha256='],
  ['an empty entry of ours beside it', 'sha256=', `sha256=${hex},sha256=`],
  ['a broken entry of ours beside it', 'sha256=', `sha256=zz,sha256=${hex}`],
  ['only another version', 'v1=', `t=1700000000,v0=${hex}`],
  ['nothing but separators', '', ' , ; '],
])('a header in hex is no signature with %s', (_what, prefix, header) => {
  expect(accepts(header, prefix, 'hex')).toBe(false);
});

it.each([
  ['padded', ours],
  ['not padded', ours?.replace('=', '')],
  ['with the alphabet for URLs', urlSafe],
  ['in a list', `${other} ${ours}`],
  ['in a list of commas', `${other},${next}`],
])('a signature in base64 is found: %s', (_how, header) => {
  expect(accepts(header ?? '', '', 'base64')).toBe(true);
  expect(accepts(`v1,${header?.replaceAll(/[ ,]/g, ' v1,')}`, 'v1,', 'base64')).toBe(true);
});

it.each([
  ['junk behind the padding', `${ours}zz`],
  ['more padding', `${ours}=`],
  ['junk behind the padding, with another =', `${ours}zz=`],
  ['characters that are not base64', `${ours}!!`],
  ['junk in the middle', ours?.replace(/^.{5}/, '$&!')],
  ['bits that are in no byte', sameBytes],
  ['junk behind a space', `${ours} zz!`],
  ['hex of the same', hex],
])('a header in base64 is no signature with %s', (_what, header) => {
  expect(accepts(header ?? '', '', 'base64')).toBe(false);
});

describe('Standard Webhooks', () => {
  const id = 'msg_1';
  const signedBy = (secret: string | undefined) =>
    signStandardWebhooks({ secret: secret ?? '', id, timestamp: now, body });
  const good = signedBy(second)['webhook-signature'];
  const bad = signedBy(foreign)['webhook-signature'];
  const check = (signature: string): boolean => {
    const headers = { ...signedBy(first), 'webhook-signature': signature };
    const ingress = accepted({ scheme: 'standard-webhooks', secret_fields }, headers);
    const { ok } = verifyStandardWebhooks({ secret: [first!, second!], headers, body, now });
    expect({ signature, ok }).toEqual({ signature, ok: ingress });
    return ingress;
  };

  it.each([
    good,
    `${bad} ${good}`,
    `${good} ${bad}`,
    `${bad},${good}`,
    `${bad}, ${good}`,
    `v1a,bm90IG91cnM= ${good}`,
    `v2,whatever! ${bad}  ${good} `,
  ])('takes a list: %s', (signature) => {
    expect(check(signature)).toBe(true);
  });

  it.each([
    bad,
    `${good}zz`,
    `${good}==`,
    `${good} zz`,
    `zz ${good}`,
    `zz,zz ${good}`,
    good.replace('v1,', 'v2,'),
    'v1,',
    'v1',
  ])('takes no junk: %s', (signature) => {
    expect(check(signature)).toBe(false);
  });
});
