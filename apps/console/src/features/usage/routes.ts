import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { usageGroups, usageMeasures, usageSpans } from '../../app/search-values.js';
import { oneOf, searchOf } from '../../app/search.js';

/** The URL parameters: how many days back, the measure, and the grouping. */
const validateUsageSearch = searchOf({
  days: oneOf(usageSpans),
  measure: oneOf(usageMeasures),
  by: oneOf(usageGroups),
});

export const usageRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/usage',
    validateSearch: validateUsageSearch,
    component: lazyRouteComponent(() => import('./usage-page.js'), 'UsagePage'),
  }),
] as const;
