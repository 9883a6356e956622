import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { flag, searchOf } from '../../app/search.js';

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings',
    beforeLoad: ({ params }) => {
      throw redirect({ to: '/p/$projectId/settings/$section', params: { ...params, section: 'members' } });
    },
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/$section',
    // `add` opens the form for a new one.
    validateSearch: searchOf({ add: flag }),
    component: lazyRouteComponent(() => import('./settings-page.js'), 'SettingsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/members/$memberId',
    component: lazyRouteComponent(() => import('./member-page.js'), 'MemberPage'),
  }),
] as const;
