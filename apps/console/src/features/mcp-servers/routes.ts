import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { connectOutcomes, flag, oneOf, searchOf, text } from '../../app/search.js';

export const mcpServerRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/mcp-servers',
    validateSearch: searchOf({ register: flag }),
    component: lazyRouteComponent(() => import('./mcp-servers-page.js'), 'McpServersPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/mcp-servers/$serverId',
    validateSearch: searchOf({
      tab: oneOf(['tools', 'settings'] as const),
      outcome: oneOf(connectOutcomes),
      flow: text,
      code: text,
    }),
    component: lazyRouteComponent(() => import('./mcp-server-page.js'), 'McpServerPage'),
  }),
] as const;
