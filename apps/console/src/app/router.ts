import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { connection } from '../api/connection.js';
import { isProblem, isRefusal } from '../api/problem.js';
import { sessionQuery } from '../api/session.js';
import { RouteError } from '../shell/no-page.js';
import { routeTree } from './route-tree.js';

const attempts = 2;

/** Retries only where that may help: a refusal stays one. */
const mayHelp = (failures: number, error: Error): boolean => failures < attempts && !isRefusal(error);

function createQueryClient(): QueryClient {
  /** The session has ended, which leads to the sign-in page and from there back here, or its rights have changed. */
  const checkSession = (error: Error): void => {
    if (isProblem(error, 'not_signed_in') || isProblem(error, 'scope_missing')) {
      void queryClient.invalidateQueries(sessionQuery);
    }
  };
  const queryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.queryKey[0] !== sessionQuery.queryKey[0]) checkSession(error);
      },
    }),
    mutationCache: new MutationCache({ onError: checkSession }),
    defaultOptions: { queries: { retry: mayHelp, staleTime: 5_000 }, mutations: { retry: false } },
  });
  connection.subscribe(() => {
    if (!connection.isLost()) void queryClient.invalidateQueries();
  });
  return queryClient;
}

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
