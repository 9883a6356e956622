import { flag, oneOf, searchOf, text } from '../../app/search.js';
import { connectOutcomes } from '../../ui/connect-outcomes.js';

/** URL parameters of the list: whether a credential is being created, and for which adapter. */
export const validateCredentialsSearch = searchOf({ make: (value) => (value === '' ? '' : text(value)) });

export const credentialTabs = ['overview', 'uses', 'history'] as const;
export type CredentialTab = (typeof credentialTabs)[number];

/** URL parameters of one credential: the tab, and the result of connecting at the provider. */
export const validateCredentialSearch = searchOf({
  tab: oneOf(credentialTabs),
  edit: flag,
  outcome: oneOf(connectOutcomes),
  flow: text,
  code: text,
});
