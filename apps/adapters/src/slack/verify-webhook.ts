import {
  headerValue,
  headerValues,
  isFreshTimestamp,
  refuseUnprotected,
  refuseWebhook,
  strongSecrets,
  SIGNATURE_TOLERANCE_SECONDS,
  verifyHmac,
  type InboundCall,
  type VerifyWebhookResult,
} from '#libs/adapter-sdk';

const SCHEME = 'slack-v0';
const PREFIX = 'v0=';

/**
 * `X-Slack-Signature: v0=<hex HMAC-SHA256 of "v0:<timestamp>:<body>">`.
 * Source: https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function verifySlackWebhook({ credentials, request, receivedAt }: InboundCall): VerifyWebhookResult {
  const secret = strongSecrets(credentials.signing_secret);
  if (secret.length === 0) return refuseUnprotected('signing_secret', credentials.signing_secret);
  const signature = headerValues(request.headers, 'x-slack-signature').join(', ');
  const timestamp = headerValue(request.headers, 'x-slack-request-timestamp');
  if (!signature || !timestamp) {
    return refuseWebhook('missing_signature', 'X-Slack-Signature and X-Slack-Request-Timestamp are both needed');
  }
  if (!isFreshTimestamp(timestamp, receivedAt)) {
    return refuseWebhook(
      'stale_timestamp',
      `X-Slack-Request-Timestamp is not within ${SIGNATURE_TOLERANCE_SECONDS} s of the time of receipt`,
    );
  }
  if (!request.exactBody)
    return refuseWebhook('body_required', 'the signature covers the exact body, not a parsed one');
  const payload = Buffer.concat([Buffer.from(`v0:${timestamp}:`), request.body]);
  return verifyHmac({ secret, payload, signature, prefix: PREFIX })
    ? { ok: true, scheme: SCHEME }
    : refuseWebhook('bad_signature', 'X-Slack-Signature does not match');
}
