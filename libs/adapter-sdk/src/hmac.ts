import { createHmac, timingSafeEqual, type BinaryLike } from 'node:crypto';
import { type SecretInput, strongSecrets } from './secret-strength.js';

export type HmacAlgorithm = 'sha256' | 'sha512' | 'sha1';
export type HmacEncoding = 'hex' | 'base64';

export function hmacDigest(algorithm: HmacAlgorithm, key: BinaryLike, chunks: readonly BinaryLike[]): Buffer {
  const hmac = createHmac(algorithm, key);
  for (const chunk of chunks) hmac.update(chunk);
  return hmac.digest();
}

/** The signature text of a payload. The keys of text secrets are their UTF-8 bytes. */
export function signHmac(
  secret: string,
  payload: BinaryLike,
  { algorithm = 'sha256', encoding = 'hex' }: { algorithm?: HmacAlgorithm; encoding?: HmacEncoding } = {},
): string {
  return hmacDigest(algorithm, secret, [payload]).toString(encoding);
}

/**
 * Whether any of the secrets made the signature. Compared in constant time; malformed text counts as wrong, and so does
 * what a secret that cannot protect has signed.
 */
export function verifyHmac(check: {
  secret: SecretInput;
  payload: BinaryLike;
  signature: string;
  algorithm?: HmacAlgorithm;
  encoding?: HmacEncoding;
}): boolean {
  const { payload, algorithm = 'sha256', encoding = 'hex' } = check;
  const given = decodeSignature(check.signature, encoding);
  if (!given) return false;
  const matches = strongSecrets(check.secret).map((secret) =>
    constantTimeEqual(given, hmacDigest(algorithm, secret, [payload])),
  );
  return matches.includes(true);
}

export function constantTimeEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Node decodes leniently (it stops at the first bad character and drops a lone last one), so the form is checked first.
 */
export function decodeSignature(text: string, encoding: HmacEncoding): Buffer | undefined {
  const wellFormed =
    encoding === 'hex'
      ? /^(?:[0-9a-f]{2})+$/i
      : /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)$/;
  return text.length <= 256 && wellFormed.test(text) ? Buffer.from(text, encoding) : undefined;
}
