import { oneOf, searchOf, text } from '../../app/search.js';

export const appTabs = ['overview', 'verify', 'samples', 'channel', 'requests', 'settings'] as const;
export type AppTab = (typeof appTabs)[number];

/** What the URL of an App's page says. */
export const validateAppSearch = searchOf({
  tab: oneOf(appTabs),
  /** Which form is open. */
  edit: oneOf(['channel', 'signature'] as const),
});

/** What the URL of the list says: the listing that is being installed. */
export const validateIntegrationsSearch = searchOf({ install: text });
