import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { flag, oneOf, searchOf, text } from '../../app/search.js';

/** URL parameter of the list: whether a source is being added. */
const validateSourcesSearch = searchOf({ add: flag });

const sourceTabs = ['documents', 'runs', 'settings'] as const;
export type SourceTab = (typeof sourceTabs)[number];

/** URL parameters of one source: the tab, and the filter of its documents. */
const validateSourceSearch = searchOf({
  tab: oneOf(sourceTabs),
  state: oneOf(['current', 'removed'] as const),
  prefix: text,
});

export const sourceRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/sources',
    validateSearch: validateSourcesSearch,
    component: lazyRouteComponent(() => import('./sources-page.js'), 'SourcesPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/sources/$sourceId',
    validateSearch: validateSourceSearch,
    component: lazyRouteComponent(() => import('./source-page.js'), 'SourcePage'),
  }),
] as const;
