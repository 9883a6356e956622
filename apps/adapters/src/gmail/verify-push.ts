import {
  headerValue,
  refuseWebhook,
  verifyJwt,
  type Credentials,
  type InboundCall,
  type JwtKeys,
  type VerifyWebhookResult,
} from '#libs/adapter-sdk';

/** Key set of the tokens that Google signs. */
export const GOOGLE_JWKS_URL = 'https://www.googleapis.com/oauth2/v3/certs';
const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];

/**
 * The audience and account of a push subscription's tokens; undefined unless both are set: either alone lets others in.
 */
export function readPushSettings(credentials: Credentials): { audience: string; email: string } | undefined {
  const { pubsub_audience: audience, pubsub_service_account: email } = credentials;
  if (typeof audience !== 'string' || typeof email !== 'string') return undefined;
  return audience.trim() === '' || email.trim() === ''
    ? undefined
    : { audience: audience.trim(), email: email.trim().toLowerCase() };
}

/**
 * Verifies the token that Pub/Sub sends with a push. It proves the sender, not the content: the body is trusted because
 * only the subscription's service account gets a token for this audience.
 * Source: Pub/Sub, "Authentication for push subscriptions".
 */
export async function verifyPush(call: InboundCall, keys: JwtKeys): Promise<VerifyWebhookResult> {
  const settings = readPushSettings(call.credentials);
  if (!settings) {
    return refuseWebhook('not_configured', 'pubsub_audience and pubsub_service_account must both be set');
  }
  return verifyJwt({
    authorization: headerValue(call.request.headers, 'authorization'),
    keys,
    issuer: ISSUERS,
    audience: settings.audience,
    claims: { email: settings.email, email_verified: true },
    now: call.receivedAt,
  });
}
