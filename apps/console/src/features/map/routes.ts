import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';

export const mapRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/map',
    component: lazyRouteComponent(() => import('./map-page.js'), 'MapPage'),
  }),
] as const;
