import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

/** More than that are found by their own list. */
const most = 200;

/** The project's credentials, to choose from and to name one by its id. */
export function useCredentials(enabled = true): UseQueryResult<Schema<'CredentialView'>[]> {
  return useProjectQuery(
    ['credentials', 'all'],
    async (signal) => {
      const { data } = await answer(api.GET('/api/v1/credentials', { params: { query: { limit: most } }, signal }));
      return data;
    },
    { enabled },
  );
}

/** The word for a credential's state: an account that nobody connected yet does not wait for us. */
export const credentialStatus = (status: string): string => (status === 'pending' ? 'not_connected' : status);
