import {
  type Credentials,
  isShared,
  secretList,
  signRequest,
  signsTime,
  strongSecrets,
  withQuery,
} from '#libs/adapter-sdk';
import type { DeclaredVerification } from '#libs/contracts';
import { Problem } from '#libs/service-kit';

/** `tampered`: changed after it was signed. `stale`: signed longer ago than is accepted. */
export const sampleKinds = ['signed', 'unsigned', 'tampered', 'stale'] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** A body with the headers that sign it, as its provider would send them. */
export interface SignedSample {
  headers: Record<string, string>;
  body: string;
  /** With the parameters that its provider adds. */
  path: string;
}

/** What is to be signed. */
export interface Sample {
  /** The public URL without a path. */
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const defaultToleranceSeconds = 300;
/** Beyond the tolerance, so that clock skew does not make it fresh. */
const staleBySeconds = 600;

/**
 * @param verification how the ingress checks the App's requests; `adapter`: the adapter checks them in its own way
 * @throws Problem 422 `cannot_sign`, `nothing_is_signed`, `no_signing_secret`, `no_time_is_signed`, `no_body_is_signed`
 */
export function signSample(
  kind: SampleKind,
  { origin, path, headers, body }: Sample,
  verification: DeclaredVerification | 'adapter' | 'none',
  credentials: Credentials,
): SignedSample {
  if (kind === 'unsigned') return { headers: {}, body, path };
  const declared = requireScheme(kind, verification);
  if (declared === null) return { headers: {}, body, path };
  const form = declared.scheme === 'standard-webhooks' ? declared.scheme : 'text';
  const secret =
    declared.secret_fields.flatMap((field) => strongSecrets(credentials[field], form))[0] ??
    declared.secret_fields.flatMap((field) => secretList(credentials[field]))[0];
  if (secret === undefined) {
    throw new Problem(422, 'no_signing_secret', 'No signing secret is set: link a credential that has one.');
  }
  if (kind === 'stale' && !signsTime(declared)) {
    const detail = 'The scheme signs no time, so no request can be too old.';
    throw new Problem(422, 'no_time_is_signed', detail);
  }
  if (kind === 'tampered' && isShared(declared.scheme)) {
    const detail = 'The scheme compares a shared secret and signs no body, so a changed one is accepted.';
    throw new Problem(422, 'no_body_is_signed', detail);
  }
  const ageSeconds = kind === 'stale' ? (declared.tolerance_seconds ?? defaultToleranceSeconds) + staleBySeconds : 0;
  const request = { method: 'POST', url: `${origin}${path}`, headers, body: Buffer.from(body) };
  const proof = signRequest(declared, secret, request, Date.now() - ageSeconds * 1_000);
  if (proof === null) {
    const detail = 'Only the provider can sign by this scheme: send a test from there, or send the sample unsigned.';
    throw new Problem(422, 'cannot_sign', detail);
  }
  // The body is still JSON, so that only the change can be refused.
  return { headers: proof.headers, path: withQuery(path, proof.query), body: kind === 'tampered' ? `${body} ` : body };
}

/** @returns null where nothing has to be signed */
function requireScheme(
  kind: SampleKind,
  verification: DeclaredVerification | 'adapter' | 'none',
): DeclaredVerification | null {
  if (typeof verification === 'object') return verification;
  if (verification === 'adapter') {
    const detail =
      'The adapter checks signatures itself, in a way that its manifest does not declare: only the provider can sign. Send the sample unsigned.';
    throw new Problem(422, 'cannot_sign', detail);
  }
  if (kind === 'signed') return null;
  const detail = 'The App checks no signatures, so it cannot detect a changed or an old request.';
  throw new Problem(422, 'nothing_is_signed', detail);
}
