import { createHash, randomUUID } from 'node:crypto';
import {
  headerOf,
  isJwt,
  isShared,
  siblingOf,
  signedTextOf,
  signsTime,
  type SignatureScheme,
} from './declared-scheme.js';
import { hmac } from './one-shot-hmac.js';
import { type ReceivedRequest, RequestValues } from './request-values.js';
import { hmacKey } from './scheme-keys.js';
import { valueOf } from './value-template.js';

/** What a sender adds to a request so that it counts as its own. */
export interface RequestProof {
  headers: Record<string, string>;
  /** Parameters to add to the URL. */
  query: Record<string, string>;
}

/**
 * Proves a request as its sender would.
 * @param secret the shared secret; text that is too weak for a key is used all the same
 * @returns null where the platform cannot: only the sender has the private key, or the proof is a part of the body
 */
export function signRequest(
  declared: SignatureScheme,
  secret: string,
  request: ReceivedRequest,
  nowMs: number,
): RequestProof | null {
  const { scheme, pointer, query } = declared;
  if (pointer !== undefined || declared.timestamp_pointer !== undefined) return null;
  const place = (
    value: string,
    headers: Record<string, string> = {},
    more: Record<string, string> = {},
  ): RequestProof =>
    query === undefined
      ? { headers: { ...headers, [(headerOf(declared) ?? '').replace('*', '1')]: value }, query: more }
      : { headers, query: { ...more, [query]: value } };
  if (scheme === 'basic') return place(`Basic ${Buffer.from(secret).toString('base64')}`);
  if (isShared(scheme)) return place(`${declared.prefix ?? ''}${secret}`);
  if (scheme === 'jwt-hs256') return place(`Bearer ${token(declared, secret, request.body, nowMs)}`);
  if (isJwt(scheme) || (scheme !== 'hmac' && scheme !== 'standard-webhooks')) return null;
  return signed(declared, secret, request, nowMs, place);
}

function signed(
  declared: SignatureScheme,
  secret: string,
  request: ReceivedRequest,
  nowMs: number,
  place: (value: string, headers: Record<string, string>, more: Record<string, string>) => RequestProof,
): RequestProof {
  const { scheme, algorithm = 'sha256', encoding = 'hex', timestamp_entry: entry, body_hash_query: hashed } = declared;
  const isStandard = scheme === 'standard-webhooks';
  const header = headerOf(declared) ?? '';
  const time = timeText(declared, nowMs);
  const timeHeader = isStandard ? siblingOf(header, 'timestamp') : declared.timestamp_header?.toLowerCase();
  const headers: Record<string, string> = timeHeader === undefined ? {} : { [timeHeader]: time };
  const isForm = new RequestValues(request).isUrlEncoded;
  const more = hashed === undefined || isForm ? {} : { [hashed]: sha256(request.body) };
  const values = new RequestValues({ ...request, url: withQuery(request.url, more) });
  const parts = signedTextOf(declared).map((part) => {
    if (typeof part === 'string') return Buffer.from(part);
    if (part.name === 'body') return request.body;
    if (part.name === 'timestamp') return Buffer.from(time);
    if (part.name === 'headers') {
      const names = [part.of, ...(timeHeader === undefined ? [] : [timeHeader])].toSorted();
      headers[part.of] = names.join(',');
      return Buffer.from(names.map((name) => `${name}:${headers[name]}`).join(';'));
    }
    const value = valueOf(part, values) ?? (part.name === 'header' ? `msg_${randomUUID().replaceAll('-', '')}` : '');
    if (part.name === 'header') headers[part.of] = value;
    return Buffer.from(value);
  });
  const key = hmacKey(declared, secret) ?? Buffer.from(secret);
  const digest = hmac(isStandard ? 'sha256' : algorithm, key, ...parts).toString(isStandard ? 'base64' : encoding);
  const prefix = isStandard ? 'v1,' : (declared.prefix ?? 'sha256=');
  return place(
    `${entry === undefined ? '' : entry === 'first' ? `${time},` : `${entry}=${time},`}${prefix}${digest}`,
    headers,
    more,
  );
}

function timeText(declared: SignatureScheme, nowMs: number): string {
  const { timestamp_unit: unit = 's' } = declared;
  if (!signsTime(declared)) return '';
  if (unit === 'iso') return new Date(nowMs).toISOString();
  return String(unit === 'ms' ? nowMs : Math.floor(nowMs / 1_000));
}

/** @returns the URL with parameters added */
export function withQuery(url: string, added: Record<string, string>): string {
  const more = new URLSearchParams(added).toString();
  return more === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${more}`;
}

function token(declared: SignatureScheme, secret: string, body: Buffer, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000);
  const claim = declared.body_hash_claim;
  const claims = { iat: seconds, exp: seconds + 60, ...(claim === undefined ? {} : { [claim]: sha256(body) }) };
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((each) => Buffer.from(JSON.stringify(each)).toString('base64url'))
    .join('.');
  return `${text}.${hmac('sha256', Buffer.from(secret), Buffer.from(text)).toString('base64url')}`;
}

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
