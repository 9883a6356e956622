import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { alertStates, alertTabs } from '../../app/search-values.js';
import { oneOf, searchOf, text } from '../../app/search.js';

export const alertRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/alerts',
    validateSearch: searchOf({ tab: oneOf(alertTabs), state: oneOf(alertStates), rule: text }),
    component: lazyRouteComponent(() => import('./alerts-page.js'), 'AlertsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/alerts/new',
    component: lazyRouteComponent(() => import('./rule-page.js'), 'NewRulePage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/alerts/$ruleId',
    component: lazyRouteComponent(() => import('./rule-page.js'), 'RulePage'),
  }),
] as const;
