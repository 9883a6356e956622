import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateEventSearch } from './event-search.js';

export const eventRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/events',
    validateSearch: validateEventSearch,
    component: lazyRouteComponent(() => import('./events-page.js'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/events/$eventId',
    component: lazyRouteComponent(() => import('./event-page.js'), 'EventPage'),
  }),
] as const;
