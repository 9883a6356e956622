import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';

export const scheduleRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/schedules',
    component: lazyRouteComponent(() => import('./schedules-page.js'), 'SchedulesPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/schedules/new',
    component: lazyRouteComponent(() => import('./schedule-page.js'), 'NewSchedulePage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/schedules/$scheduleId',
    component: lazyRouteComponent(() => import('./schedule-page.js'), 'SchedulePage'),
  }),
] as const;
