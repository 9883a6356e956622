import type { CallContext, Credentials, Self } from './call-context.js';

/** Request of `/verify`. */
export interface VerifyCall {
  credentials: Credentials;
  context: CallContext;
}

/**
 * Answer of `/verify`. `auth_failed` (the provider refuses) differs from `provider_unavailable` (it does not answer): a
 * provider that is down disables no App. The contract allows other texts and treats them as `auth_failed`.
 */
export type VerifyResult =
  { ok: true; user: string; account?: Self; warnings?: string[] } | { ok: false; error: string; message?: string };
