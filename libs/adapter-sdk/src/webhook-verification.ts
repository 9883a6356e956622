export const WEBHOOK_REFUSALS = [
  'missing_signature',
  'bad_signature',
  'stale_timestamp',
  'not_configured',
  'weak_secret',
  'body_required',
  'unsupported',
] as const;

export type WebhookRefusal = (typeof WEBHOOK_REFUSALS)[number];

/** Answer of `/verify-webhook`. A refusal is a well-formed "no": HTTP 200. */
export type VerifyWebhookResult = { ok: true; scheme: string } | { ok: false; error: WebhookRefusal; message?: string };

export function refuseWebhook(error: WebhookRefusal, message: string): VerifyWebhookResult {
  return { ok: false, error, message };
}
