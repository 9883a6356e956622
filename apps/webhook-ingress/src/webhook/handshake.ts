import type { DeclaredHandshake, HandshakeResponse } from '#libs/contracts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refused } from './refused.js';

const maxValueLength = 4_096;

/** Credential fields that a declared handshake needs. */
export function handshakeFields(declared: DeclaredHandshake): string[] {
  return [declared.verify_token?.field, declared.respond.hmac?.field].filter((field) => field !== undefined);
}

/**
 * What answers a request that is the declared handshake, else null.
 * @param secretOf the value of a credential field, null when it is not set
 * @throws Refused 403 `wrong_verify_token`, 503 `not_configured`
 */
export function handshakeAnswer(
  declared: DeclaredHandshake,
  request: { method: string; query: URLSearchParams; body: Buffer },
  secretOf: (field: string) => string | null,
): { contentType: string; body: string } | null {
  if (request.method !== declared.method) return null;
  const payload = declared.match.pointer || declared.respond.pointer ? parsed(request.body) : null;
  const value = (from: { query?: string; pointer?: string }): string | null =>
    from.query ? request.query.get(from.query) : at(payload, from.pointer);
  const marker = value(declared.match);
  if (marker === null || (declared.match.equals !== undefined && marker !== declared.match.equals)) return null;
  const { verify_token: wanted, respond } = declared;
  if (wanted && !same(request.query.get(wanted.query), secretOf(wanted.field))) {
    throw new Refused(403, 'wrong_verify_token', 'The verify token is not the one that is set here.');
  }
  const challenge = value(respond);
  if (challenge === null || challenge.length > maxValueLength) return null;
  const answer = respond.hmac ? signed(respond.hmac, challenge, secretOf(respond.hmac.field)) : challenge;
  return respond.as === undefined
    ? { contentType: 'text/plain; charset=utf-8', body: answer }
    : { contentType: 'application/json', body: JSON.stringify({ [respond.as]: answer }) };
}

function signed(hmac: NonNullable<HandshakeResponse['hmac']>, challenge: string, secret: string | null): string {
  if (!secret) {
    throw new Refused(503, 'not_configured', `The credential has no ${hmac.field} to answer the challenge with.`, {
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

/** A string at a JSON pointer (RFC 6901), or null. */
function at(value: unknown, pointer: string | undefined): string | null {
  let current = value;
  for (const part of (pointer ?? '').split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return null;
    current = (current as Record<string, unknown>)[key];
  }
  return typeof current === 'string' ? current : null;
}

function same(given: string | null, wanted: string | null): boolean {
  if (given === null || wanted === null) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
