import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { inboxes, sessionStatuses } from '../../app/search-values.js';
import { oneOf, searchOf, text } from '../../app/search.js';

/** The URL parameters of the list. */
const validateConversationSearch = searchOf({
  inbox: oneOf(inboxes),
  status: oneOf(sessionStatuses),
  app: text,
  contact: text,
  text,
});
export type ConversationSearch = ReturnType<typeof validateConversationSearch>;

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
