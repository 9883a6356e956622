import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listingsQuestion } from '../../api/listings.js';
import { prefetch } from '../../api/project-query.js';
import { projectRoute } from '../../app/project-route.js';
import { validateAppSearch, validateIntegrationsSearch } from './app-search.js';
import { dayQuestion } from './use-activity.js';
import { appQuestion } from './use-app-change.js';

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
