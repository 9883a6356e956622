import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateAppSearch, validateIntegrationsSearch } from './app-search.js';

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
    component: lazyRouteComponent(() => import('./app-page.js'), 'AppPage'),
  }),
] as const;
