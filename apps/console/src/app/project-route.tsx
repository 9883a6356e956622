import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, notFound, Outlet, redirect } from '@tanstack/react-router';
import { NotFound } from '../shell/no-page.js';
import { isProblem } from '../api/problem.js';
import { requestContext } from '../api/client.js';
import { type Session, sessionQuery } from '../api/session.js';
import { Shell } from '../shell/shell.js';
import { searchOf, text } from './search.js';

interface RouterContext {
  queryClient: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

/** Requires a session. Everybody else is sent to the sign-in page and comes back here afterwards. */
async function requireSession({ queryClient }: RouterContext, returnTo: string): Promise<Session> {
  try {
    return await queryClient.ensureQueryData(sessionQuery);
  } catch (error) {
    if (isProblem(error, 'connection_lost')) throw error;
    throw redirect({ to: '/sign-in', search: returnTo === '/' ? {} : { return_to: returnTo } });
  }
}

/** `/`: redirects to the first open project. */
export const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async ({ context, location }) => {
    const { projects } = await requireSession(context, location.href);
    const project = projects.find(({ closed_at }) => !closed_at) ?? projects[0];
    if (!project) throw notFound();
    throw redirect({ to: '/p/$projectId', params: { projectId: project.id } });
  },
});

/** The parent of every feature's routes. */
export const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/p/$projectId',
  // The column that a list is sorted by: `name`, or `-name`.
  validateSearch: searchOf({ sort: text }),
  beforeLoad: async ({ context, params, location }) => {
    const { projects } = await requireSession(context, location.href);
    requestContext.projectId = params.projectId;
    if (projects.some(({ id }) => id === params.projectId)) return;
    // The project belongs to another organization, or is newer than the session.
    const now = await context.queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null);
    if (!now?.projects.some(({ id }) => id === params.projectId)) throw notFound();
  },
  component: Shell,
  notFoundComponent: NotFound,
});
