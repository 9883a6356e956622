import { PreparedScheme, type ReceivedRequest } from '#libs/adapter-sdk';
import type { DeclaredVerification, MappedCredentials } from '#libs/contracts';
import { Refused } from '../request/incoming.js';

/** A request that was accepted. */
export interface Verified {
  /** For the timeline: `hmac-sha256`, during a rotation also the field whose secret matched. */
  scheme: string;
  /** The time of signing, where one is signed. */
  signedAt: string | null;
}

/** Made ready once for all requests of an endpoint: a changed endpoint brings another declaration. */
const prepared = new WeakMap<DeclaredVerification, PreparedScheme>();

/**
 * Checks a declared scheme over the raw bytes, in constant time.
 * @param fields of the credential; two secrets are set during a rotation
 * @param bodies the forms that a signature may be over: as it came, and decompressed
 * @throws Refused 401 `missing_signature`, `missing_timestamp`, `bad_signature`, `stale_timestamp`; 503
 * `not_configured` without a secret, `weak_secret` when none can protect: the operator has to repair that, and the
 * sender may retry
 */
export function verifySignature(
  verification: DeclaredVerification,
  fields: MappedCredentials,
  request: Omit<ReceivedRequest, 'body'>,
  bodies: Buffer[],
  nowMs: number,
): Verified {
  let scheme = prepared.get(verification);
  if (scheme === undefined) prepared.set(verification, (scheme = new PreparedScheme(verification)));
  const verdict = scheme.check(fields, request, bodies, nowMs);
  if (verdict.ok) return verdict;
  const { error, message } = verdict;
  // The sender learns that it is not to blame, and not what an attacker needs.
  const isOurs = error === 'not_configured' || error === 'weak_secret';
  throw isOurs ? new Refused(503, error, message, { 'retry-after': '60' }) : new Refused(401, error, message);
}
