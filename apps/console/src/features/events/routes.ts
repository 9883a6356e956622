import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateEventSearch } from './list/event-search.js';
import { validateEventPageSearch } from './one/event-route-search.js';
import { validateSimulatorSearch } from './simulator/simulator-search.js';

export const eventRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/events',
    validateSearch: validateEventSearch,
    component: lazyRouteComponent(() => import('./list/events-page.js'), 'EventsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/events/$eventId',
    validateSearch: validateEventPageSearch,
    component: lazyRouteComponent(() => import('./one/event-page.js'), 'EventPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/simulator',
    validateSearch: validateSimulatorSearch,
    component: lazyRouteComponent(() => import('./simulator/simulator-page.js'), 'SimulatorPage'),
  }),
] as const;
