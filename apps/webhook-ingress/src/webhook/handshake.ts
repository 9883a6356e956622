import { secretWeakness } from '#libs/adapter-sdk';
import type { DeclaredHandshake, HandshakeResponse, RequestPlace } from '#libs/contracts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { one, Refused } from '../request/incoming.js';

const maxValueLength = 4_096;

const plain = 'text/plain; charset=utf-8';
const json = 'application/json';

export interface HandshakeAnswer {
  status: number;
  contentType: string;
  body: string;
  /** Besides the content type. */
  headers: Record<string, string>;
}

/** The parts of a request that may make it a handshake. */
export interface HandshakeRequest {
  method: string;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Credential fields that a declared handshake needs. */
export function handshakeFields({ verify_token: token, respond }: DeclaredHandshake): string[] {
  const signs = respond === 'adapter' ? undefined : respond.hmac?.field;
  return [token?.field, signs].filter((field) => field !== undefined);
}

/** Whether a request is the declared handshake. */
export function isDeclared({ method, match }: DeclaredHandshake, request: HandshakeRequest): boolean {
  if (request.method !== method) return false;
  const marker = valueAt(match, request);
  return marker !== null && (match.equals === undefined || marker === match.equals);
}

/**
 * The answer to a request that is the declared handshake; null when it lacks the value to answer with, or when the
 * adapter has to answer.
 * @param secretOf the value of a credential field, null when it is not set
 * @throws Refused 403 `wrong_verify_token`, 503 `not_configured`, `weak_secret`
 */
export function handshakeAnswer(
  declared: DeclaredHandshake,
  request: HandshakeRequest,
  secretOf: (field: string) => string | null,
): HandshakeAnswer | null {
  const { verify_token: wanted, respond } = declared;
  if (wanted && !same(request.query.get(wanted.query), secretOf(wanted.field))) {
    throw new Refused(403, 'wrong_verify_token', 'The verify token does not match the one that is set here.');
  }
  if (respond === 'adapter') return null;
  const { status = 200 } = respond;
  if (respond.fixed !== undefined) {
    const isJson = respond.fixed.startsWith('{');
    return { status, contentType: isJson ? json : plain, body: respond.fixed, headers: {} };
  }
  const challenge = valueAt(respond, request);
  if (challenge === null || challenge.length > maxValueLength) return null;
  const answer = respond.hmac ? signed(respond.hmac, challenge, secretOf(respond.hmac.field)) : challenge;
  if (respond.as_header !== undefined) {
    return { status, contentType: plain, body: '', headers: { [respond.as_header]: answer } };
  }
  if (respond.as === undefined) return { status, contentType: plain, body: answer, headers: {} };
  const echoed = respond.echo_as === undefined ? {} : { [respond.echo_as]: challenge };
  return { status, contentType: json, body: JSON.stringify({ ...echoed, [respond.as]: answer }), headers: {} };
}

function valueAt({ query, header, pointer }: RequestPlace, request: HandshakeRequest): string | null {
  if (query !== undefined) return request.query.get(query);
  if (header !== undefined) return one(request.headers[header]) ?? null;
  return pointer === undefined ? null : at(parsed(request.body), pointer);
}

function signed(hmac: NonNullable<HandshakeResponse['hmac']>, challenge: string, secret: string | null): string {
  if (!secret) {
    throw new Refused(503, 'not_configured', `The credential has no ${hmac.field} to answer the challenge with.`, {
      'retry-after': '60',
    });
  }
  if (secretWeakness(secret) !== null) {
    throw new Refused(503, 'weak_secret', `The ${hmac.field} to answer the challenge with cannot protect.`, {
      'retry-after': '60',
    });
  }
  const { algorithm = 'sha256', encoding = 'base64', prefix = '' } = hmac;
  return `${prefix}${createHmac(algorithm, secret).update(challenge).digest(encoding)}`;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** A string or number at a JSON pointer (RFC 6901), or null. */
function at(value: unknown, pointer: string): string | null {
  let current = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return null;
    current = (current as Record<string, unknown>)[key];
  }
  return typeof current === 'string' || typeof current === 'number' ? String(current) : null;
}

function same(given: string | null, wanted: string | null): boolean {
  // A blank token is none: a request that leaves it blank too must not match.
  if (given === null || wanted === null || wanted.trim() === '') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
