import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';

export const templateRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/templates',
    component: lazyRouteComponent(() => import('./templates-page.js'), 'TemplatesPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/templates/$templateId',
    component: lazyRouteComponent(() => import('./template-page.js'), 'TemplatePage'),
  }),
] as const;
