import {
  ecdsaPublicKeys,
  headerValue,
  isFreshTimestamp,
  refuseWebhook,
  SIGNATURE_TOLERANCE_SECONDS,
  verifyEcdsa,
  type InboundCall,
  type VerifyWebhookResult,
} from '#libs/adapter-sdk';
import { isForm } from './parse-inbound.js';

export const SIGNATURE_HEADER = 'X-Twilio-Email-Event-Webhook-Signature';
export const TIMESTAMP_HEADER = 'X-Twilio-Email-Event-Webhook-Timestamp';

/**
 * ECDSA over the timestamp and the exact body, for events and for mail; each has a key of its own.
 * Source: SendGrid, Signed Event Webhook, and Securing your Inbound Parse Webhooks.
 */
export function verifySendgridWebhook({ credentials, request, receivedAt }: InboundCall): VerifyWebhookResult {
  const signature = headerValue(request.headers, SIGNATURE_HEADER);
  const timestamp = headerValue(request.headers, TIMESTAMP_HEADER);
  const isMail = isForm(request.headers);
  if (isMail && signature === undefined && credentials.inbound_unsigned === 'allow') {
    return { ok: true, scheme: 'unsigned-inbound-parse' };
  }
  const field = isMail ? 'inbound_public_key' : 'event_public_key';
  const keys = ecdsaPublicKeys(credentials[field]);
  if (keys.length === 0) return refuseWebhook('not_configured', `${field} is not set or not a P-256 key`);
  if (signature === undefined || timestamp === undefined) {
    return refuseWebhook('missing_signature', `${SIGNATURE_HEADER} and ${TIMESTAMP_HEADER} are both needed`);
  }
  if (!request.exactBody) return refuseWebhook('body_required', 'a signature covers the exact body, not a parsed one');
  if (!isFreshTimestamp(timestamp, receivedAt)) {
    return refuseWebhook(
      'stale_timestamp',
      `${TIMESTAMP_HEADER} is not within ${SIGNATURE_TOLERANCE_SECONDS} s of the time of receipt`,
    );
  }
  return verifyEcdsa({ keys, payload: [timestamp, request.body], signature })
    ? { ok: true, scheme: 'sendgrid-ecdsa' }
    : refuseWebhook('bad_signature', `${SIGNATURE_HEADER} does not match the timestamp and the body`);
}
