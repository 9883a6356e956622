import { base64Key, type SecretForm, secretWeakness, signaturesIn, standardSignaturesIn } from '#libs/adapter-sdk';
import type { DeclaredVerification, MappedCredentials } from '#libs/contracts';
import { timingSafeEqual } from 'node:crypto';
import { hmac } from './hmac.js';
import { Refused } from './refused.js';

export const timestampToleranceSeconds = 300;

type Headers = Record<string, string | string[] | undefined>;

/**
 * Checks a declared signature over the raw bytes, in constant time.
 * @param bodies the forms that it may be over: as it came, and decompressed
 * @param fields of the credential; two secrets are set during a rotation
 * @returns the scheme, for the timeline; during a rotation also the field whose secret matched: `hmac-sha256 by
 * signing_secret_next`
 * @throws Refused 401 `missing_signature`, `missing_timestamp`, `bad_signature`, `stale_timestamp`; 503
 * `not_configured` without a secret, `weak_secret` when none can protect: the operator has to repair that, and the
 * sender may retry
 */
export function verifySignature(
  verification: DeclaredVerification,
  fields: MappedCredentials,
  headers: Headers,
  bodies: Buffer[],
  nowMs: number,
): string {
  const secrets = requireSecrets(fields, verification);
  return verification.scheme === 'standard-webhooks'
    ? verifyStandardWebhooks(verification, secrets, headers, bodies, nowMs)
    : verifyHmac(verification, secrets, headers, bodies, nowMs);
}

interface Secret {
  value: string;
  field: string;
}

/** The secrets that can protect: with any other one, anybody could sign. @throws Refused 503 */
function requireSecrets(fields: MappedCredentials, { scheme, secret_fields: names }: DeclaredVerification): Secret[] {
  const set = secretsIn(fields, names);
  const form: SecretForm = scheme === 'standard-webhooks' ? scheme : 'text';
  const strong = set.filter(({ value }) => secretWeakness(value, form) === null);
  if (strong.length > 0) return strong;
  const [weak] = set;
  if (weak) {
    // The sender learns that it is not to blame, and not what an attacker needs.
    const detail = 'Signature verification is on, but the signing secret that is set cannot protect.';
    throw new Refused(503, 'weak_secret', detail, { 'retry-after': '60' });
  }
  const detail = 'Signature verification is on, but no signing secret is set.';
  throw new Refused(503, 'not_configured', detail, { 'retry-after': '60' });
}

/** The values of the named fields that are set. */
function secretsIn(fields: MappedCredentials, names: string[]): Secret[] {
  const secrets: Secret[] = [];
  for (const name of names) {
    const value = fields[name] ?? '';
    // A record that is passed as a whole, with several fields, holds no secret to check with.
    if (typeof value !== 'string' && !Array.isArray(value)) continue;
    const set = [value].flat().filter((each) => each !== '');
    for (const [at, each] of set.entries()) secrets.push({ value: each, field: at === 0 ? name : `${name} ${at + 1}` });
  }
  return secrets;
}

/** With a single secret there is nothing to tell apart. */
const told = (scheme: string, { field }: Secret, { length }: Secret[]): string =>
  length > 1 ? `${scheme} by ${field}` : scheme;

function verifyHmac(
  declared: DeclaredVerification,
  secrets: Secret[],
  headers: Headers,
  bodies: Buffer[],
  nowMs: number,
): string {
  const { header = 'x-signature-256', algorithm = 'sha256', encoding = 'hex', prefix = 'sha256=' } = declared;
  const given = one(headers[header]);
  if (!given) throw new Refused(401, 'missing_signature', `Send the signature in the header ${header}.`);
  const digests = signaturesIn(given, prefix, encoding);
  if (digests.length === 0) throw badSignature();
  const before = beforeBody(declared, headers, nowMs);
  const match = secrets.find(({ value }) =>
    bodies.some((body) => isAnyOf(digests, hmac(algorithm, Buffer.from(value), ...before, body))),
  );
  if (!match) throw badSignature();
  return told(`hmac-${algorithm}`, match, secrets);
}

/** What is signed before the body: the timestamp and the text around it, where the manifest declares one. */
function beforeBody(declared: DeclaredVerification, headers: Headers, nowMs: number): Buffer[] {
  const { timestamp_header: name, signed_text: text = '{timestamp}.{body}' } = declared;
  if (name === undefined) return [];
  const timestamp = one(headers[name]);
  if (!timestamp) throw new Refused(401, 'missing_timestamp', `Send the time of signing in the header ${name}.`);
  requireRecent(name, timestamp, declared.tolerance_seconds, nowMs);
  return [Buffer.from(text.replace('{body}', '').replace('{timestamp}', () => timestamp))];
}

function requireRecent(
  name: string,
  timestamp: string,
  toleranceSeconds = timestampToleranceSeconds,
  nowMs: number,
): void {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (Math.abs(nowMs / 1000 - seconds) <= toleranceSeconds) return;
  throw new Refused(
    401,
    'stale_timestamp',
    `${name} is not a time in Unix seconds, or is more than ${toleranceSeconds} s off.`,
  );
}

/** Whether the time of signing was checked: a request is then valid only for as long as the tolerance allows. */
export function isTimed(verification: DeclaredVerification | 'adapter' | 'none'): verification is DeclaredVerification {
  if (typeof verification !== 'object') return false;
  return verification.scheme === 'standard-webhooks' || verification.timestamp_header !== undefined;
}

/** Standard Webhooks 1.0: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`, several separated by spaces. */
function verifyStandardWebhooks(
  declared: DeclaredVerification,
  secrets: Secret[],
  headers: Headers,
  bodies: Buffer[],
  nowMs: number,
): string {
  const id = one(headers['webhook-id']);
  const timestamp = one(headers['webhook-timestamp']);
  const signatures = one(headers['webhook-signature']);
  if (!id || !timestamp || !signatures) {
    throw new Refused(401, 'missing_signature', 'Send webhook-id, webhook-timestamp and webhook-signature.');
  }
  requireRecent('webhook-timestamp', timestamp, declared.tolerance_seconds, nowMs);
  const digests = standardSignaturesIn(signatures);
  if (digests.length === 0) throw badSignature();
  const signed = Buffer.from(`${id}.${timestamp}.`);
  const match = secrets.find(({ value }) => {
    const key = base64Key(value);
    if (!key) return false;
    return bodies.some((body) => isAnyOf(digests, hmac('sha256', key, signed, body)));
  });
  if (!match) throw badSignature();
  return told('standard-webhooks', match, secrets);
}

function isAnyOf(digests: Buffer[], expected: Buffer): boolean {
  return digests.some((digest) => digest.length === expected.length && timingSafeEqual(digest, expected));
}

function badSignature(): Refused {
  return new Refused(401, 'bad_signature', 'The signature does not match the body and the secret.');
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
