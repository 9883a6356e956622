import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { flag, oneOf, searchOf, text } from '../../app/search.js';
import { runStates, verdicts } from '../../app/search-values.js';

export const workflowRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/workflows',
    validateSearch: searchOf({ name: text, create: flag }),
    component: lazyRouteComponent(() => import('./workflows-page.js'), 'WorkflowsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/workflows/$workflowId',
    validateSearch: searchOf({
      tab: oneOf(['triggers', 'steps', 'runs', 'settings', 'versions'] as const),
      state: oneOf(runStates),
    }),
    component: lazyRouteComponent(() => import('./workflow-page.js'), 'WorkflowPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/workflows/$workflowId/new-trigger',
    validateSearch: searchOf({ show: oneOf(verdicts) }),
    component: lazyRouteComponent(() => import('./trigger-page.js'), 'NewTriggerPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/events/$eventId/new-trigger',
    validateSearch: searchOf({ show: oneOf(verdicts) }),
    component: lazyRouteComponent(() => import('./event-trigger-page.js'), 'EventTriggerPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/workflows/$workflowId/triggers/$triggerId',
    validateSearch: searchOf({ show: oneOf(verdicts), tab: oneOf(['rules', 'versions'] as const) }),
    component: lazyRouteComponent(() => import('./trigger-page.js'), 'TriggerPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/runs/$runId',
    component: lazyRouteComponent(() => import('./run-page.js'), 'RunPage'),
  }),
] as const;
