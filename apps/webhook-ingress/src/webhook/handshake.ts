import type { DeclaredHandshake } from '#libs/contracts';
import { timingSafeEqual } from 'node:crypto';
import { Refused } from './refused.js';

/**
 * The value to echo when a request is the declared handshake, else null.
 * @param token the value of the credential field that `verify_token` names
 * @throws Refused 403 `wrong_verify_token`
 */
export function handshakeEcho(
  declared: DeclaredHandshake,
  method: string,
  query: URLSearchParams,
  body: Buffer,
  token: string | null,
): string | null {
  if (method !== declared.method) return null;
  const payload = declared.match.pointer || declared.respond.pointer ? parsed(body) : null;
  const marker = declared.match.query ? query.get(declared.match.query) : at(payload, declared.match.pointer);
  if (marker === null || (declared.match.equals !== undefined && marker !== declared.match.equals)) return null;
  if (declared.verify_token && !same(query.get(declared.verify_token.query), token)) {
    throw new Refused(403, 'wrong_verify_token', 'The verify token is not the one that is set here.');
  }
  return declared.respond.query ? query.get(declared.respond.query) : at(payload, declared.respond.pointer);
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
