import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { connectOutcomes, flag, oneOf, searchOf, text } from '../../app/search.js';

/**
 * URL parameters of the list: whether a credential is being created, for which adapter, and the App that it is linked to
 * under which of its keys.
 */
const validateCredentialsSearch = searchOf({ make: (value) => (value === '' ? '' : text(value)), app: text, as: text });

const credentialTabs = ['overview', 'uses', 'history'] as const;
export type CredentialTab = (typeof credentialTabs)[number];

/** URL parameters of one credential: the tab, and the result of connecting at the provider. */
const validateCredentialSearch = searchOf({
  tab: oneOf(credentialTabs),
  edit: flag,
  outcome: oneOf(connectOutcomes),
  flow: text,
  code: text,
});

export const credentialRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/credentials',
    validateSearch: validateCredentialsSearch,
    component: lazyRouteComponent(() => import('./credentials-page.js'), 'CredentialsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/credentials/$credentialId',
    validateSearch: validateCredentialSearch,
    component: lazyRouteComponent(() => import('./credential-page.js'), 'CredentialPage'),
  }),
] as const;
