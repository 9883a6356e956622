import type { InboundCall } from '../inbound-envelope.js';
import { refuseWebhook, type VerifyWebhookResult } from '../webhook-verification.js';
import type { PreparedScheme } from './prepared-scheme.js';

/**
 * Answers `/verify-webhook` by a declared scheme, made ready once: `new PreparedScheme({ scheme: 'hmac', … })`.
 * @param name of the scheme, where the adapter has one of its own
 */
export function verifyScheme(
  scheme: PreparedScheme,
  { credentials, request, receivedAt }: InboundCall,
  name?: string,
): VerifyWebhookResult {
  if (!request.exactBody) {
    return refuseWebhook('body_required', 'a signature covers the exact body, not a parsed one');
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([header, value]) => [header.toLowerCase(), [value].flat().join(', ')]),
  );
  const { method, url, body } = request;
  const verdict = scheme.check(credentials, { method, url, headers }, [body], receivedAt.getTime());
  if (verdict.ok) return { ok: true, scheme: name ?? verdict.scheme };
  const { error, message } = verdict;
  return refuseWebhook(error === 'missing_timestamp' ? 'missing_signature' : error, message);
}
