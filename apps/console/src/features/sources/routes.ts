import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateSourceSearch, validateSourcesSearch } from './source-search.js';

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
