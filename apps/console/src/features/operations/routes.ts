import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { deliveryStates, letterStages, letterStates, problemStates } from '../../app/search-values.js';
import { oneOf, searchOf, text } from '../../app/search.js';

/** The URL parameters of each section. */
const validateOperationsSearch = searchOf({
  app: text,
  reason: text,
  problem: oneOf(problemStates),
  stage: oneOf(letterStages),
  state: oneOf(letterStates),
  /** Dead letters that are redriven together. */
  batch: text,
  delivery: oneOf(deliveryStates),
  action: text,
  actor: text,
  /** The open entry of the audit log. */
  entry: text,
});
export type OperationsSearch = ReturnType<typeof validateOperationsSearch>;

export const operationsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/operations',
    beforeLoad: ({ params }) => {
      throw redirect({ to: '/p/$projectId/operations/$section', params: { ...params, section: 'problems' } });
    },
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/operations/$section',
    validateSearch: validateOperationsSearch,
    component: lazyRouteComponent(() => import('./operations-page.js'), 'OperationsPage'),
  }),
] as const;
