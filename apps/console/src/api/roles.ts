import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import { hasScope, useSession } from './session.js';
import type { Schema } from './named-schema.js';

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
