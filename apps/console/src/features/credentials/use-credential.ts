import { useMutation } from '@tanstack/react-query';
import { answer, answerWithEtag, api, type Schema, type Tagged } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';

export type Credential = Schema<'CredentialView'>;
export type Grant = Schema<'GrantView'>;

const readCredential = (id: string, signal?: AbortSignal): Promise<Tagged<Credential>> =>
  answerWithEtag(api.GET('/api/v1/credentials/{id}', { params: { path: { id } }, signal }));

const pollMs = 15_000;
/** While somebody may be at the provider's consent page. */
const connectingMs = 3_000;

export const useCredential = (id: string) =>
  useProjectQuery(['credentials', id], (signal) => readCredential(id, signal), { refetchInterval: pollMs });

/** How the account is connected. Only for OAuth credentials. */
export const useGrant = (id: string, enabled: boolean) =>
  useProjectQuery(
    ['credentials', id, 'grant'],
    (signal) => answer(api.GET('/api/v1/credentials/{id}/oauth', { params: { path: { id } }, signal })),
    { enabled, refetchInterval: (last) => (last?.state === 'pending' ? connectingMs : pollMs) },
  );

export const useBindings = (id: string) =>
  useProjectQuery(['credentials', id, 'bindings'], async (signal) => {
    const { data } = await answer(api.GET('/api/v1/credentials/{id}/bindings', { params: { path: { id } }, signal }));
    return data;
  });

/** The keys of everything that depends on credentials, including the Apps that they fill. */
export const touched = ['credentials', 'apps'];

/** A change, after which everything of credentials is refetched. */
export function useCredentialMutation<Sent, Answered>(change: (sent: Sent) => Promise<Answered>) {
  const refresh = useRefresh(...touched);
  return useMutation({ mutationFn: change, onSuccess: refresh });
}
