import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { flag, searchOf } from '../../app/search.js';

export const modelRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/models',
    validateSearch: searchOf({ connect: flag }),
    component: lazyRouteComponent(() => import('./providers-page.js'), 'ProvidersPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/models/$providerId',
    component: lazyRouteComponent(() => import('./provider-page.js'), 'ProviderPage'),
  }),
] as const;
