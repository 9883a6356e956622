import { createHash, createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { PreparedScheme, type SignatureScheme } from '../index.js';

export const nowMs = Date.parse('2026-01-02T03:04:05Z');
export const seconds = String(nowMs / 1_000);
export const secret = 'a secret of the sender';
export const body = Buffer.from('{"id":7,"type":"paid","sign":{"at":"1767323045","by":"z"}}');
export const url = 'https://hooks.example/api/v1/webhooks/t?a=1';
export const fields = ['signing_secret', 'signing_secret_next'];
export const mac = (
  text: string,
  { by = 'sha256', key = secret as string | Buffer, as = 'hex' as 'hex' | 'base64' } = {},
) => createHmac(by, key).update(text).digest(as);
export const b64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export type Headers = Record<string, string>;
/** A declaration, and a request that is to hold to it. */
export interface Given {
  declared: Partial<SignatureScheme> & Pick<SignatureScheme, 'scheme'>;
  headers?: Headers;
  secrets?: Record<string, string>;
  at?: string;
  sent?: Buffer;
}

/** @returns the scheme by which the request is accepted, or why it is not */
export function verdictOf({
  declared,
  headers = {},
  secrets = { signing_secret: secret },
  at = url,
  sent = body,
}: Given) {
  const scheme = new PreparedScheme({ secret_fields: fields, ...declared });
  const verdict = scheme.check(secrets, { method: 'POST', url: at, headers }, [sent], nowMs);
  return verdict.ok ? verdict.scheme : verdict.error;
}

export const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
export const base64Key = Buffer.alloc(24, 7).toString('base64');
export const jwt = (claims: object, alg = 'HS256', key = secret): string => {
  const head = `${b64url({ alg })}.${b64url(claims)}`;
  return `${head}.${createHmac('sha256', key).update(head).digest('base64url')}`;
};
export const bodyHex = createHash('sha256').update(body).digest('hex');
export const formType = { 'content-type': 'application/x-www-form-urlencoded' };

export const canonical: Given['declared'] = {
  scheme: 'hmac',
  header: 's',
  prefix: '',
  timestamp_header: 'x-time',
  signed_text: '{method}\n{path}\n{headers:x-signed}\n{body}',
};
/** @param lines the headers as they are signed */
export const canonicalMac = (lines: string): string => mac(`POST\n/api/v1/webhooks/t?a=1\n${lines}\n${body}`);
