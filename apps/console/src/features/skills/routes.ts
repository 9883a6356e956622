import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { oneOf, searchOf, text } from '../../app/search.js';

export const skillTabs = ['knowledge', 'tools', 'credentials', 'effect', 'versions'] as const;

export const skillRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/skills',
    validateSearch: searchOf({ name: text, add: oneOf(['new', 'import'] as const) }),
    component: lazyRouteComponent(() => import('./skills-page.js'), 'SkillsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/skills/$skillId',
    validateSearch: searchOf({ tab: oneOf(skillTabs) }),
    component: lazyRouteComponent(() => import('./skill-page.js'), 'SkillPage'),
  }),
] as const;
