import type { ProviderConfig } from '../oauth-providers/provider-config.js';

/** Identifies tokens by client, token host and, where known, account. */
export interface ConsentOf {
  client_key: string | null;
  account: string | null;
  provider: ProviderConfig | null;
}

/**
 * Whether revoking the tokens of `left` could end those of `inUse`: a provider may end a person's whole consent with
 * any of its tokens (RFC 7009 section 2.1), and several do. An unknown account may be the same one.
 */
export function mayShareConsent(inUse: ConsentOf, left: ConsentOf): boolean {
  if (inUse.client_key !== left.client_key || left.provider?.quirks.separate_consents) return false;
  return !inUse.account || !left.account || inUse.account === left.account;
}
