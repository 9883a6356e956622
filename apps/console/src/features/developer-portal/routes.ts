import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { healthHours } from '../../app/search-values.js';
import { flag, oneOf, searchOf, text } from '../../app/search.js';

/** URL parameter of the list: whether an adapter is being registered. */
const validateAdaptersSearch = searchOf({ register: flag });

const adapterTabs = ['overview', 'versions', 'health', 'conformance', 'settings'] as const;
export type AdapterTab = (typeof adapterTabs)[number];

/** URL parameters of one adapter: the tab, the open version or run, and the time range of its health. */
const validateAdapterSearch = searchOf({
  tab: oneOf(adapterTabs),
  version: text,
  run: text,
  hours: (value: unknown) => oneOf(healthHours)(String(value)),
});

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
