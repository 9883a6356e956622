import { flag, oneOf, searchOf, text } from '../../app/search.js';
import { connectOutcomes } from '../../ui/connect-outcomes.js';

/** Of the list: whether one is being made, and for which adapter. */
export const validateCredentialsSearch = searchOf({ make: (value) => (value === '' ? '' : text(value)) });

export const credentialTabs = ['overview', 'uses', 'history'] as const;
export type CredentialTab = (typeof credentialTabs)[number];

/** Of one: what shows, and what became of a visit at the provider. */
export const validateCredentialSearch = searchOf({
  tab: oneOf(credentialTabs),
  edit: flag,
  outcome: oneOf(connectOutcomes),
  flow: text,
  code: text,
});
