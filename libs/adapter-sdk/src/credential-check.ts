import type { CallContext, Credentials, Self } from './call-context.js';

/** Request of `/verify`. */
export interface VerifyCall {
  credentials: Credentials;
  context: CallContext;
}

/**
 * Answer of `/verify`. `auth_failed` (the provider says no) and `provider_unavailable` (it says nothing) are told apart:
 * a provider that is down disables no App. Other texts are allowed by the contract and read as `auth_failed`.
 */
export type VerifyResult =
  { ok: true; user: string; account?: Self; warnings?: string[] } | { ok: false; error: string; message?: string };
