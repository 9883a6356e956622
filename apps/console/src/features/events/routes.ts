import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appsQuestion } from '../../api/choices.js';
import { prefetch, prefetchList } from '../../api/project-query.js';
import { projectRoute } from '../../app/project-route.js';
import { sampleKinds, sampleSources } from '../../app/search-values.js';
import { oneOf, searchOf, text } from '../../app/search.js';
import { askEvents, eventListKey, validateEventSearch } from './list/event-search.js';

/** The URL parameters of the simulator, without what is typed. `toggled` belongs to the timeline beside the form. */
const validateSimulatorSearch = searchOf({
  app: text,
  kind: oneOf(sampleKinds),
  source: oneOf(sampleSources),
  sample: text,
  event: text,
  toggled: text,
});
export type SimulatorSearch = ReturnType<typeof validateSimulatorSearch>;

/** The URL parameters of an event: the steps that differ from their initial state, the filter that is tried, the replay. */
const validateEventPageSearch = searchOf({
  toggled: text,
  replay: text,
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
