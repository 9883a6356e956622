import type { CallContext, Credentials } from './call-context.js';

/** Request of `/renew-webhook`. */
export interface RenewWebhookCall {
  credentials: Credentials;
  /** Where the provider should send events. */
  webhook_url: string;
  context: CallContext;
}

/**
 * Answer of `/renew-webhook`. `expires_at` (ISO 8601) is when the provider stops on its own, if it says so. After
 * `not_configured` the platform does not retry before the next regular time.
 */
export type RenewWebhookResult = { ok: true; expires_at?: string } | { ok: false; error: string; message?: string };
