import type { ProviderConfig } from '../oauth-providers/provider-config.js';

/** Whose tokens: of which client at which token host, and of which account where that is known. */
export interface ConsentOf {
  client_key: string | null;
  account: string | null;
  provider: ProviderConfig | null;
}

/**
 * Whether revoking the tokens of `left` could end those of `inUse`: a provider may end a person's whole consent with any
 * token of it (RFC 7009 section 2.1), and several do. An account that is not known may be the same.
 */
export function mayShareConsent(inUse: ConsentOf, left: ConsentOf): boolean {
  if (inUse.client_key !== left.client_key || left.provider?.quirks.separate_consents) return false;
  return !inUse.account || !left.account || inUse.account === left.account;
}
