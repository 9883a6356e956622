import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateOperationsSearch } from './operations-search.js';

export const operationsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/operations',
    beforeLoad: ({ params }) => {
      throw redirect({ to: '/p/$projectId/operations/$section', params: { ...params, section: 'queues' } });
    },
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/operations/$section',
    validateSearch: validateOperationsSearch,
    component: lazyRouteComponent(() => import('./operations-page.js'), 'OperationsPage'),
  }),
] as const;
