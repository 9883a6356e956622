import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import { useScope } from './session.js';
import type { Schema } from './types.js';

const most = 200;

/** The project's credentials, to choose from; never what they hold. */
export function useCredentials(): UseQueryResult<Schema<'CredentialView'>[]> {
  const enabled = useScope('credentials:read');
  return useProjectQuery(
    ['credentials', 'all'],
    async (signal) => {
      const { data } = await answer(api.GET('/api/v1/credentials', { params: { query: { limit: most } }, signal }));
      return data;
    },
    { enabled },
  );
}
