import {
  headerValues,
  refuseUnprotected,
  refuseWebhook,
  strongSecrets,
  verifyHmac,
  type InboundCall,
  type VerifyWebhookResult,
} from '#libs/adapter-sdk';

const PREFIX = 'sha256=';

/**
 * `X-Hub-Signature-256: sha256=<hex HMAC-SHA256 of the body>`. It signs no time, so GitHub can redeliver.
 * Source: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
export function verifyGithubWebhook({ credentials, request }: InboundCall): VerifyWebhookResult {
  const secret = strongSecrets(credentials.signing_secret);
  if (secret.length === 0) return refuseUnprotected('signing_secret', credentials.signing_secret);
  const signature = headerValues(request.headers, 'x-hub-signature-256').join(', ');
  if (!signature) return refuseWebhook('missing_signature', 'X-Hub-Signature-256 is missing');
  if (!request.exactBody)
    return refuseWebhook('body_required', 'the signature covers the exact body, not a parsed one');
  return verifyHmac({ secret, payload: request.body, signature, prefix: PREFIX })
    ? { ok: true, scheme: 'github-sha256' }
    : refuseWebhook('bad_signature', 'X-Hub-Signature-256 does not match the body');
}
