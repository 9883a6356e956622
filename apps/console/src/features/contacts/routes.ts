import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { contactStatuses } from '../../app/search-values.js';
import { oneOf, searchOf, text } from '../../app/search.js';

/** The URL parameters of the list. */
const validateContactSearch = searchOf({ status: oneOf(contactStatuses), search: text });
export type ContactSearch = ReturnType<typeof validateContactSearch>;

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
