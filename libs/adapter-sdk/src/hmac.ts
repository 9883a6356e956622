import { timingSafeEqual } from 'node:crypto';
import { type SecretInput, strongSecrets } from './secret-strength.js';
import { hmac, type HmacAlgorithm } from './signature-schemes/one-shot-hmac.js';
import { type HmacEncoding, signaturesIn } from './signatures-in.js';

type Bytes = string | NodeJS.ArrayBufferView;

export function hmacDigest(algorithm: HmacAlgorithm, key: Bytes, chunks: readonly Bytes[]): Buffer {
  return hmac(algorithm, bufferOf(key), ...chunks.map(bufferOf));
}

const bufferOf = (bytes: Bytes): Buffer =>
  typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The signature text of a payload. The keys of text secrets are their UTF-8 bytes. */
export function signHmac(
  secret: string,
  payload: Bytes,
  { algorithm = 'sha256', encoding = 'hex' }: { algorithm?: HmacAlgorithm; encoding?: HmacEncoding } = {},
): string {
  return hmacDigest(algorithm, secret, [payload]).toString(encoding);
}

/**
 * Whether any of the secrets made one of the signatures in a header. Compared in constant time; malformed text counts
 * as wrong, and so does what a secret that cannot protect has signed.
 */
export function verifyHmac(check: {
  secret: SecretInput;
  payload: Bytes;
  /** The header as it came, with one signature or several. */
  signature: string;
  /** Before each signature, for example `sha256=`. */
  prefix?: string;
  algorithm?: HmacAlgorithm;
  encoding?: HmacEncoding;
}): boolean {
  const { payload, algorithm = 'sha256', encoding = 'hex' } = check;
  const given = signaturesIn(check.signature, check.prefix ?? '', encoding);
  if (given.length === 0) return false;
  const matches = strongSecrets(check.secret).flatMap((secret) => {
    const expected = hmacDigest(algorithm, secret, [payload]);
    return given.map((digest) => constantTimeEqual(digest, expected));
  });
  return matches.includes(true);
}

export function constantTimeEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
