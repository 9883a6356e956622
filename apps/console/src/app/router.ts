import { createRouter } from '@tanstack/react-router';
import { RouteError } from '../shell/route-error.js';
import { createQueryClient } from './query-client.js';
import { routeTree } from './route-tree.js';

export const queryClient = createQueryClient();

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
