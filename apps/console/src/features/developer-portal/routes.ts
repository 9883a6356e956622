import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateAdapterSearch, validateAdaptersSearch } from './adapter-search.js';

export const developerPortalRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/developer-portal',
    validateSearch: validateAdaptersSearch,
    component: lazyRouteComponent(() => import('./adapters-page.js'), 'AdaptersPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/developer-portal/$adapterId',
    validateSearch: validateAdapterSearch,
    component: lazyRouteComponent(() => import('./adapter-page.js'), 'AdapterPage'),
  }),
] as const;
