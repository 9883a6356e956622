import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { flag, oneOf, searchOf, text } from '../../app/search.js';

export const knowledgeTabs = ['documents', 'search', 'entities', 'meaning'] as const;

export const knowledgeRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/knowledge',
    validateSearch: searchOf({ tab: oneOf(knowledgeTabs), q: text, name: text, add: flag }),
    component: lazyRouteComponent(() => import('./knowledge-page.js'), 'KnowledgePage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/knowledge/entities/$entityId',
    component: lazyRouteComponent(() => import('./entity-page.js'), 'EntityPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/knowledge/$documentId',
    component: lazyRouteComponent(() => import('./document-page.js'), 'DocumentPage'),
  }),
] as const;
