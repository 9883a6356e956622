import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { oneOf, searchOf } from '../../app/search.js';
import { decidedStates } from '../../app/search-values.js';

export const approvalRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/approvals',
    validateSearch: searchOf({ state: oneOf(decidedStates) }),
    component: lazyRouteComponent(() => import('./approvals-page.js'), 'ApprovalsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/approvals/$approvalId',
    component: lazyRouteComponent(() => import('./approval-page.js'), 'ApprovalPage'),
  }),
] as const;
