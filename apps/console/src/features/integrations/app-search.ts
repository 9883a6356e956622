import { oneOf, searchOf, text } from '../../app/search.js';

export const appTabs = ['overview', 'verify', 'samples', 'channel', 'requests', 'settings'] as const;
export type AppTab = (typeof appTabs)[number];

/** The URL parameters of an App's page. */
export const validateAppSearch = searchOf({
  tab: oneOf(appTabs),
  /** Which form is open. */
  edit: oneOf(['channel', 'signature'] as const),
});

/** The URL parameter of the list: the listing that is being installed. */
export const validateIntegrationsSearch = searchOf({ install: text });
