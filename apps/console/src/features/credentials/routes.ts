import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../app/project-route.js';
import { validateCredentialSearch, validateCredentialsSearch } from './credential-search.js';

export const credentialRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/credentials',
    validateSearch: validateCredentialsSearch,
    component: lazyRouteComponent(() => import('./credentials-page.js'), 'CredentialsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/credentials/$credentialId',
    validateSearch: validateCredentialSearch,
    component: lazyRouteComponent(() => import('./credential-page.js'), 'CredentialPage'),
  }),
] as const;
