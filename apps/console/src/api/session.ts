import { queryOptions, useQuery } from '@tanstack/react-query';
import { ApiProblem, problemOf } from './problem.js';
import { contextHeaders, requestContext } from './request-context.js';

interface Named {
  id: string;
  name: string;
}

/** Who is signed in, and what that person may do here. */
export interface Session {
  member: Named & { email: string; role: string };
  organization: Named;
  organizations: (Named & { role: string })[];
  projects: (Named & { closed_at?: string | null })[];
  scopes: string[];
  csrf_token: string;
  expires_at: string;
}

export interface SignInMethods {
  oidc: Named[];
  link: boolean;
}

/** Sign-in comes before the API's document is of use: these few answers are typed by hand. */
async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...contextHeaders(init.method ?? 'GET'),
    ...(init.headers as Record<string, string> | undefined),
  };
  const response = await fetch(`/api/v1/${path}`, { ...init, headers }).catch(() => {
    throw new ApiProblem({ status: 0, code: 'connection_lost', detail: 'Gatehouse does not answer.' });
  });
  if (!response.ok) throw await problemOf(response);
  return response.status === 204 ? (undefined as Answer) : ((await response.json()) as Answer);
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Session> => {
    const session = await ask<Session>('session', { signal });
    requestContext.csrfToken = session.csrf_token;
    return session;
  },
});

/** The same, of another organization that the person is a member of. */
export const sessionIn = (organizationId: string): Promise<Session> =>
  ask<Session>('session', { headers: { 'x-organization-id': organizationId } });

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => ask<SignInMethods>('sign-in/methods', { signal }),
});

export const signInByLink = (token: string): Promise<Session> =>
  ask<Session>('sign-in/link', { method: 'POST', body: JSON.stringify({ token }) });

export const signOut = (): Promise<void> => ask<void>('session', { method: 'DELETE' });

/** Of pages within a project, which show only to who is signed in. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('No session is loaded: this page stands outside of a project.');
  return data;
}

/** Whether the person may do what asks for this scope. */
export function hasScope(held: readonly string[], wanted: string): boolean {
  if (held.includes(wanted)) return true;
  if (wanted.endsWith(':read') && held.includes(wanted.replace(':read', ':write'))) return true;
  return held.includes('admin') && wanted !== 'approvals:manage';
}

export function useScope(wanted: string): boolean {
  return hasScope(useSession().scopes, wanted);
}
