import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listingsQuestion } from '../../api/choices.js';
import { prefetch } from '../../api/project-query.js';
import { projectRoute } from '../../app/project-route.js';
import { flag, oneOf, searchOf, text } from '../../app/search.js';
import { appQuestion, dayQuestion } from './use-app.js';

const appTabs = ['overview', 'verify', 'samples', 'channel', 'requests', 'settings'] as const;
export type AppTab = (typeof appTabs)[number];

/** The URL parameters of an App's page. */
const validateAppSearch = searchOf({
  tab: oneOf(appTabs),
  /** Which form is open. */
  edit: oneOf(['channel', 'signature'] as const),
  /** Of the channel. */
  versions: flag,
});

/** The URL parameter of the list: the listing that is being installed. */
const validateIntegrationsSearch = searchOf({ install: text });

export const integrationRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/integrations',
    validateSearch: validateIntegrationsSearch,
    component: lazyRouteComponent(() => import('./integrations-page.js'), 'IntegrationsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/integrations/$appId',
    validateSearch: validateAppSearch,
    loader: ({ context: { queryClient }, params: { projectId, appId } }) =>
      prefetch(queryClient, projectId, appQuestion(appId), listingsQuestion, dayQuestion(appId)),
    component: lazyRouteComponent(() => import('./app-page.js'), 'AppPage'),
  }),
] as const;
