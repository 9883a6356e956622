import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateConversationSearch } from './conversation-search.js';

export const conversationRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/conversations',
    validateSearch: validateConversationSearch,
    component: lazyRouteComponent(() => import('./conversations-page.js'), 'ConversationsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/conversations/$sessionId',
    component: lazyRouteComponent(() => import('./conversation-page.js'), 'ConversationPage'),
  }),
] as const;
