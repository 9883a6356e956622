import { createHash } from 'node:crypto';
import { isJsonObject, parseJson, type JsonObject } from '../json-value.js';
import { isBase64 } from '../secret-strength.js';
import { SIGNATURE_TOLERANCE_SECONDS } from '../signature-window.js';
import type { SignatureScheme } from './declared-scheme.js';
import type { SchemeKey } from './scheme-keys.js';
import { refuse, type SchemeVerdict } from './scheme-verdict.js';

const algorithms: Record<string, string> = { 'jwt-hs256': 'HS256', 'jwt-rs256': 'RS256', 'jwt-es256': 'ES256' };

/**
 * Checks a signed token (RFC 7519) with keys that are here. Its algorithm is the declared one and no other. It covers the
 * body by a digest in a claim; without such a claim it must say until when, or since when, it is valid.
 */
export function checkJwt(
  declared: SignatureScheme,
  given: string,
  keys: SchemeKey[],
  bodies: Buffer[],
  nowMs: number,
): { key: SchemeKey } | (SchemeVerdict & { ok: false }) {
  const parts = given
    .trim()
    .replace(/^bearer +/i, '')
    .split('.');
  const [head = '', body = '', signature = ''] = parts;
  const [header, claims] = [jsonIn(head), jsonIn(body)];
  const signed = parts.length === 3 && isBase64(signature) && header?.['alg'] === algorithms[declared.scheme];
  if (!signed || !claims) return badToken;
  const text = [Buffer.from(`${head}.${body}`)];
  const key = keys.find(({ made }) => made([Buffer.from(signature, 'base64url')], text));
  if (!key) return badToken;
  return problemOf(declared, claims, bodies, nowMs) ?? { key };
}

const badToken = refuse('bad_signature', 'The token was not signed with the key that is set here.');

function problemOf(
  { body_hash_claim: name, tolerance_seconds: tolerance = SIGNATURE_TOLERANCE_SECONDS }: SignatureScheme,
  claims: JsonObject,
  bodies: Buffer[],
  nowMs: number,
): (SchemeVerdict & { ok: false }) | null {
  const now = nowMs / 1_000;
  const [expires, since, issued] = ['exp', 'nbf', 'iat'].map((claim) => claims[claim]);
  const stale = refuse('stale_timestamp', `The token has expired, or its time is more than ${tolerance} s off.`);
  if ([expires, since, issued].some((time) => time !== undefined && typeof time !== 'number')) return stale;
  if (typeof expires === 'number' && expires < now - tolerance) return stale;
  if (typeof since === 'number' && since > now + tolerance) return stale;
  if (typeof issued === 'number' && issued > now + tolerance) return stale;
  if (typeof issued === 'number' && expires === undefined && issued < now - tolerance) return stale;
  if (name === undefined) {
    return expires === undefined && issued === undefined
      ? refuse('stale_timestamp', 'The token has neither exp nor iat: it would be valid for ever.')
      : null;
  }
  const digest = claims[name];
  const covered = typeof digest === 'string' && bodies.some((body) => isDigestOf(digest, body));
  return covered ? null : refuse('bad_signature', `The claim ${name} is not the SHA-256 of the body.`);
}

/** The claim's text is public, so nothing is learned from how long the comparison takes. */
function isDigestOf(text: string, body: Buffer): boolean {
  const digest = createHash('sha256').update(body).digest();
  return /^[0-9a-f]{64}$/i.test(text)
    ? text.toLowerCase() === digest.toString('hex')
    : isBase64(text) && Buffer.from(text, 'base64').equals(digest);
}

function jsonIn(part: string): JsonObject | null {
  if (!isBase64(part)) return null;
  const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
  return isJsonObject(value) ? value : null;
}
