import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  jwtVerify,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  type JWTVerifyResult,
} from 'jose';
import { ProviderUnavailable } from './provider-unavailable.js';
import { SIGNATURE_TOLERANCE_SECONDS } from './signature-window.js';
import { refuseWebhook, type VerifyWebhookResult } from './webhook-verification.js';

/** The keys that a provider signs with: from a given key set, or from one that is fetched. */
export type JwtKeys = JWTVerifyGetKey & { jwks(): JSONWebKeySet | undefined };

/** Longest wait for the key set. */
const FETCH_TIMEOUT_MS = 2_000;

/**
 * The keys behind a JWKS URL. Kept in memory for ten minutes. A token with an unknown key fetches them again, at most
 * every 30 s, which follows the provider's rotation. `fetch` makes the request, for example a guarded one.
 */
export function remoteJwtKeys(url: string, options: { fetch?: FetchImplementation } = {}): JwtKeys {
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    ...(options.fetch && { [customFetch]: options.fetch }),
  });
}

export function localJwtKeys(keySet: JSONWebKeySet): JwtKeys {
  return createLocalJWKSet(keySet);
}

/**
 * Verifies the signed token of a push, as Google Pub/Sub sends it: `Authorization: Bearer <JWT>`. RS256 and ES256 only.
 * Issuer, audience and expiry have to be right, and so has each of `claims`. `now` is when the push was received.
 * @throws ProviderUnavailable when the keys cannot be fetched: the token is then neither right nor wrong
 */
export async function verifyJwt(check: {
  authorization: string | undefined;
  keys: JwtKeys;
  issuer: string | string[];
  audience: string | string[];
  claims?: Record<string, string | boolean>;
  /** The claim that has to say since when the token is: of its issue, or of its validity. Default: `iat`. */
  since?: 'iat' | 'nbf';
  /** A key whose `endorsements` name other channels than this one signs nothing here, as keys of Bot Framework. */
  channel?: string;
  now?: Date;
}): Promise<VerifyWebhookResult> {
  if (check.audience.length === 0) return refuseWebhook('not_configured', 'no audience is set');
  const { since = 'iat', now = new Date() } = check;
  const token = /^Bearer +(\S+)$/i.exec(check.authorization ?? '')?.[1];
  if (token === undefined) return refuseWebhook('missing_signature', 'Authorization: Bearer <JWT> is needed');
  let verified: JWTVerifyResult;
  try {
    verified = await jwtVerify(token, check.keys, {
      algorithms: ['RS256', 'ES256'],
      issuer: check.issuer,
      audience: check.audience,
      requiredClaims: ['exp', since],
      currentDate: now,
      clockTolerance: SIGNATURE_TOLERANCE_SECONDS,
    });
  } catch (error) {
    return refusalOf(error);
  }
  const { payload, protectedHeader } = verified;
  // The library checks the time of issue only when given a maximum age.
  if (since === 'iat' && Number(payload.iat) > now.getTime() / 1000 + SIGNATURE_TOLERANCE_SECONDS) {
    return refuseWebhook('stale_timestamp', 'the token was issued in the future');
  }
  for (const [name, expected] of Object.entries(check.claims ?? {})) {
    if (payload[name] !== expected) return refuseWebhook('bad_signature', `the claim ${name} is not the expected one`);
  }
  if (check.channel !== undefined && !endorses(check.keys, protectedHeader.kid, check.channel)) {
    return refuseWebhook('bad_signature', 'the key of the token is not endorsed for the channel of the request');
  }
  return { ok: true, scheme: 'jwt' };
}

/** A key without endorsements is for every channel. */
function endorses(keys: JwtKeys, kid: string | undefined, channel: string): boolean {
  const key: object = keys.jwks()?.keys.find((each) => each.kid === kid) ?? {};
  const endorsements = 'endorsements' in key ? key.endorsements : undefined;
  return !Array.isArray(endorsements) || endorsements.length === 0 || endorsements.includes(channel);
}

/** What is wrong with the token. Any other error comes from fetching the keys. */
function refusalOf(error: unknown): VerifyWebhookResult {
  if (error instanceof errors.JWTExpired) return refuseWebhook('stale_timestamp', 'the token has expired');
  if (error instanceof errors.JWTClaimValidationFailed) {
    const code = ['iat', 'nbf'].includes(error.claim) ? 'stale_timestamp' : 'bad_signature';
    return refuseWebhook(code, `the claim ${error.claim} is not the expected one`);
  }
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported
  ) {
    return refuseWebhook('bad_signature', 'the token was not signed by the provider');
  }
  throw new ProviderUnavailable("the provider's signing keys cannot be fetched");
}
