import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appsQuestion } from '../../api/apps.js';
import { prefetch, prefetchList } from '../../api/project-query.js';
import { projectRoute } from '../../app/project-route.js';
import { searchOf, text } from '../../app/search.js';
import { askEvents, eventListKey } from './list/event-list.js';
import { validateEventSearch } from './list/event-search.js';
import { validateSimulatorSearch } from './simulator/simulator-search.js';

/** The URL parameters of an event: the stations that differ from their initial state, and the filter that is tried. */
const validateEventPageSearch = searchOf({
  toggled: text,
  test: (value) => (typeof value === 'string' ? value : undefined),
});

export const eventRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/events',
    validateSearch: validateEventSearch,
    loaderDeps: ({ search: { view, paused: _paused, sort, ...filter } }) => ({ view, filter, sort }),
    loader: ({ context: { queryClient }, params: { projectId }, deps: { view, filter, sort } }) => {
      prefetch(queryClient, projectId, appsQuestion);
      const order = sort === 'received' ? 'asc' : 'desc';
      if (view === 'refused') return;
      prefetchList(queryClient, projectId, eventListKey(filter, order), askEvents(filter, order));
    },
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
