import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

/** Further ones are found in their own list. */
const most = 200;

/** The project's credentials, for choosing and for naming by id. */
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

/** The word for a credential's state. An account that nobody has connected yet does not wait for us. */
export const credentialStatus = (status: string): string => (status === 'pending' ? 'not_connected' : status);
