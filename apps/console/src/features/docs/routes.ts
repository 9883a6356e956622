import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { searchOf, text } from '../../app/search.js';

export const docsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/docs',
    validateSearch: searchOf({ page: text }),
    component: lazyRouteComponent(() => import('./docs-page.js'), 'DocsPage'),
  }),
] as const;
