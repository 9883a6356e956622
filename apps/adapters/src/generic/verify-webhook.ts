import {
  headerValue,
  headerValues,
  refuseUnprotected,
  refuseWebhook,
  strongSecrets,
  verifyHmac,
  verifyStandardWebhooks,
  type InboundCall,
  type VerifyWebhookResult,
} from '#libs/adapter-sdk';

export const SIGNATURE_HEADER = 'X-Signature-256';
const SIGNATURE_PREFIX = 'sha256=';

/**
 * Verifies Standard Webhooks, or `X-Signature-256: sha256=<hex HMAC-SHA256 of the body>`, by which headers are present.
 * If both are, the one that also signs the time decides.
 */
export function verifyGenericWebhook({ credentials, request, receivedAt }: InboundCall): VerifyWebhookResult {
  const secret = strongSecrets(credentials.signing_secret);
  if (secret.length === 0) return refuseUnprotected('signing_secret', credentials.signing_secret);
  const isStandard = headerValue(request.headers, 'webhook-signature') !== undefined;
  const signatures = headerValues(request.headers, SIGNATURE_HEADER);
  if (!isStandard && signatures.length === 0) {
    return refuseWebhook('missing_signature', `the request has neither webhook-signature nor ${SIGNATURE_HEADER}`);
  }
  if (!request.exactBody) return refuseWebhook('body_required', 'a signature covers the exact body, not a parsed one');
  if (isStandard) {
    return verifyStandardWebhooks({ secret, headers: request.headers, body: request.body, now: receivedAt });
  }
  const signature = signatures.join(', ');
  return verifyHmac({ secret, payload: request.body, signature, prefix: SIGNATURE_PREFIX })
    ? { ok: true, scheme: 'hmac-sha256' }
    : refuseWebhook('bad_signature', `${SIGNATURE_HEADER} does not match the body`);
}
