import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, answerWithEtag, api } from '../../api/client.js';
import { projectKey, useProjectId, useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import type { Tagged } from '../../api/use-guarded-edit.js';

export type Credential = Schema<'CredentialView'>;
export type Grant = Schema<'GrantView'>;

export const readCredential = (id: string, signal?: AbortSignal): Promise<Tagged<Credential>> =>
  answerWithEtag(api.GET('/api/v1/credentials/{id}', { params: { path: { id } }, signal }));

const againMs = 15_000;
/** While somebody may be at the provider's consent page. */
const connectingMs = 3_000;

export const useCredential = (id: string) =>
  useProjectQuery(['credentials', id], (signal) => readCredential(id, signal), { refetchInterval: againMs });

/** How the account is connected. Only for OAuth credentials. */
export const useGrant = (id: string, enabled: boolean) =>
  useProjectQuery(
    ['credentials', id, 'grant'],
    (signal) => answer(api.GET('/api/v1/credentials/{id}/oauth', { params: { path: { id } }, signal })),
    { enabled, refetchInterval: (last) => (last?.state === 'pending' ? connectingMs : againMs) },
  );

export const useBindings = (id: string) =>
  useProjectQuery(['credentials', id, 'bindings'], async (signal) => {
    const { data } = await answer(api.GET('/api/v1/credentials/{id}/bindings', { params: { path: { id } }, signal }));
    return data;
  });

/** Refetches everything that depends on credentials, including the Apps that they fill. */
export function useRefreshCredentials(): () => Promise<void> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  return async () => {
    await Promise.all(
      [['credentials'], ['apps']].map((key) => queryClient.invalidateQueries({ queryKey: projectKey(projectId, key) })),
    );
  };
}

/** A change, after which everything of credentials is refetched. */
export function useCredentialMutation<Sent, Answered>(change: (sent: Sent) => Promise<Answered>) {
  const refresh = useRefreshCredentials();
  return useMutation({ mutationFn: change, onSuccess: refresh });
}
