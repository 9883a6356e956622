import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { senderKinds } from '../../texts/ui.js';
import { flag, oneOf, searchOf, text } from '../../app/search.js';

export const agentTabs = [
  'instructions',
  'tools',
  'powers',
  'budget',
  'try',
  'versions',
  'compare',
  'publish',
  'usage',
] as const;
const realCalls = ['real'] as const;

export const agentRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/agents',
    validateSearch: searchOf({ name: text, create: flag }),
    component: lazyRouteComponent(() => import('./agents-page.js'), 'AgentsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/agents/$agentId',
    validateSearch: searchOf({
      tab: oneOf(agentTabs),
      sender: oneOf(senderKinds),
      trial: text,
      version: text,
      comparison: text,
      calls: oneOf(realCalls),
    }),
    component: lazyRouteComponent(() => import('./agent-page.js'), 'AgentPage'),
  }),
] as const;
