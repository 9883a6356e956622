import type { CallContext, Credentials } from './call-context.js';

/** Request of `/renew-webhook`. */
export interface RenewWebhookCall {
  credentials: Credentials;
  /** Where the provider is to send events. */
  webhook_url: string;
  context: CallContext;
}

/**
 * Answer of `/renew-webhook`. `expires_at` (ISO 8601) is when the provider stops by itself, where it says so. After
 * `not_configured` the platform does not try again before the next regular time.
 */
export type RenewWebhookResult = { ok: true; expires_at?: string } | { ok: false; error: string; message?: string };
