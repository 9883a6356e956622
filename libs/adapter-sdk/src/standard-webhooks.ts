import { constantTimeEqual, hmacDigest } from './hmac.js';
import { headerValue, headerValues, type HeaderMap } from './header-lookup.js';
import {
  base64Key,
  MIN_STANDARD_WEBHOOKS_KEY_BYTES,
  refuseUnprotected,
  type SecretInput,
  secretList,
  secretWeakness,
} from './secret-strength.js';
import { standardSignaturesIn } from './signatures-in.js';
import { isFreshTimestamp, SIGNATURE_TOLERANCE_SECONDS } from './signature-window.js';
import { refuseWebhook, type VerifyWebhookResult } from './webhook-verification.js';

export const STANDARD_WEBHOOKS_SCHEME = 'standard-webhooks';
const PREFIX = 'whsec_';

/**
 * The key bytes of a secret: base64 with or without the `whsec_` prefix, as the specification writes them. Text that is
 * not base64 is used as its UTF-8 bytes, which the reference libraries call the raw format.
 */
export function standardWebhooksKey(secret: string): Buffer {
  return base64Key(secret) ?? Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'utf8');
}

/** Whether the key can protect. After `whsec_` comes base64; other text may be a key in the raw format. */
function isStrong(secret: string): boolean {
  if (base64Key(secret) !== null || secret.startsWith(PREFIX)) {
    return secretWeakness(secret, 'standard-webhooks') === null;
  }
  return secretWeakness(secret) === null && Buffer.byteLength(secret.trim()) >= MIN_STANDARD_WEBHOOKS_KEY_BYTES;
}

/**
 * The three headers that sign one call: `webhook-id`, `webhook-timestamp` (seconds) and `webhook-signature`. The last
 * holds one `v1,` signature per secret, so that a receiver with either key of a rotation accepts it. Source: the
 * Standard Webhooks specification 1.0.
 */
export function signStandardWebhooks(message: {
  secret: SecretInput;
  id: string;
  timestamp?: Date;
  body: string | Buffer;
}): { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string } {
  const timestamp = String(Math.floor((message.timestamp ?? new Date()).getTime() / 1000));
  const signatures = secretList(message.secret).map(
    (secret) => `v1,${digest(secret, message.id, timestamp, message.body).toString('base64')}`,
  );
  return { 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * Verifies the exact bytes; fails closed: no secret is `not_configured`, one that cannot protect `weak_secret`. `now` is
 * when the message was received.
 */
export function verifyStandardWebhooks(message: {
  secret: SecretInput;
  headers: HeaderMap;
  body: string | Buffer;
  now?: Date;
  toleranceSeconds?: number;
}): VerifyWebhookResult {
  const secrets = secretList(message.secret).filter(isStrong);
  if (secrets.length === 0) return refuseUnprotected('the signing secret', message.secret, 'standard-webhooks');

  const id = headerValue(message.headers, 'webhook-id');
  const timestamp = headerValue(message.headers, 'webhook-timestamp');
  const signatures = headerValues(message.headers, 'webhook-signature').join(' ');
  if (!id || !timestamp || !signatures) {
    return refuseWebhook('missing_signature', 'webhook-id, webhook-timestamp and webhook-signature are all needed');
  }
  if (!isFreshTimestamp(timestamp, message.now ?? new Date(), message.toleranceSeconds)) {
    const window = message.toleranceSeconds ?? SIGNATURE_TOLERANCE_SECONDS;
    return refuseWebhook('stale_timestamp', `webhook-timestamp is not within ${window} s of the time of receipt`);
  }

  const given = standardSignaturesIn(signatures);
  const matches = secrets.flatMap((secret) => {
    const expected = digest(secret, id, timestamp, message.body);
    return given.map((signature) => constantTimeEqual(signature, expected));
  });
  return matches.includes(true)
    ? { ok: true, scheme: STANDARD_WEBHOOKS_SCHEME }
    : refuseWebhook('bad_signature', 'no v1 signature matches the body');
}

function digest(secret: string, id: string, timestamp: string, body: string | Buffer): Buffer {
  return hmacDigest('sha256', standardWebhooksKey(secret), [`${id}.${timestamp}.`, body]);
}
