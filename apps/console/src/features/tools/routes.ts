import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { oneOf, searchOf, text } from '../../app/search.js';
import { toolSources, toolStates, toolTabs } from '../../app/search-values.js';

export const toolRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/tools',
    validateSearch: searchOf({ name: text, source: oneOf(toolSources), state: oneOf(toolStates) }),
    component: lazyRouteComponent(() => import('./tools-page.js'), 'ToolsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/tools/new',
    component: lazyRouteComponent(() => import('./new-tool-page.js'), 'NewToolPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/tools/$toolId',
    validateSearch: searchOf({ tab: oneOf(toolTabs) }),
    component: lazyRouteComponent(() => import('./tool-page.js'), 'ToolPage'),
  }),
] as const;
