import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateUsageSearch } from './usage-search.js';

export const usageRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/usage',
    validateSearch: validateUsageSearch,
    component: lazyRouteComponent(() => import('./usage-page.js'), 'UsagePage'),
  }),
] as const;
