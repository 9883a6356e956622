import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateContactSearch } from './contact-search.js';

export const contactRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/contacts',
    validateSearch: validateContactSearch,
    component: lazyRouteComponent(() => import('./contacts-page.js'), 'ContactsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/contacts/$contactId',
    component: lazyRouteComponent(() => import('./contact-page.js'), 'ContactPage'),
  }),
] as const;
