import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { answer, api, requestContext, type Schema } from './client.js';
import { useProjectQuery } from './project-query.js';

/** Who is signed in, and what that person may do here. */
export type Session = Schema<'SignedInView'>;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Session> => {
    const session = await answer(api.GET('/api/v1/session', { signal }));
    requestContext.csrfToken = session.csrf_token;
    return session;
  },
});

/** The session in another organization that the person is a member of. */
export const sessionIn = (organizationId: string): Promise<Session> =>
  answer(api.GET('/api/v1/session', { headers: { 'x-organization-id': organizationId } }));

export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => answer(api.GET('/api/v1/sign-in/methods', { signal })),
});

export const signInByLink = (token: string): Promise<Session> =>
  answer(api.POST('/api/v1/sign-in/link', { body: { token } }));

export const signOut = (): Promise<unknown> => answer(api.DELETE('/api/v1/session'));

/** For pages within a project, which only signed-in people see. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('No session is loaded: this page stands outside of a project.');
  return data;
}

/** Whether the person has this scope. */
export function hasScope(held: readonly string[], wanted: string): boolean {
  if (held.includes(wanted)) return true;
  if (wanted.endsWith(':read') && held.includes(wanted.replace(':read', ':write'))) return true;
  return held.includes('admin') && wanted !== 'approvals:manage';
}

export function useScope(wanted: string): boolean {
  return hasScope(useSession().scopes, wanted);
}

export type Role = Schema<'RoleView'>;

/** The roles that members can have, and what each may do. */
export function useRoles(): UseQueryResult<Role[]> {
  return useProjectQuery(['roles'], (signal) => answer(api.GET('/api/v1/roles', { signal })));
}

/** Whether the person may give somebody this role: nobody grants more than they have. */
export function useMayGrant(): (role: Role) => boolean {
  const { scopes } = useSession();
  return (role) => role.scopes.every((scope) => hasScope(scopes, scope));
}
