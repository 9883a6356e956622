import { eventRoutes } from '../features/events/routes.js';
import { credentialRoutes } from '../features/credentials/routes.js';
import { developerPortalRoutes } from '../features/developer-portal/routes.js';
import { homeRoutes } from '../features/home/routes.js';
import { integrationRoutes } from '../features/integrations/routes.js';
import { signInRoute } from '../features/sign-in/routes.js';
import { sourceRoutes } from '../features/sources/routes.js';
import { indexRoute, projectRoute } from './project-route.js';
import { rootRoute } from './root-route.js';

export const routeTree = rootRoute.addChildren([
  indexRoute,
  signInRoute,
  projectRoute.addChildren([
    ...homeRoutes,
    ...eventRoutes,
    ...integrationRoutes,
    ...developerPortalRoutes,
    ...credentialRoutes,
    ...sourceRoutes,
  ]),
]);
