import { useMutation } from '@tanstack/react-query';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';

export type Adapter = Schema<'AdapterView'>;
export type ManifestVersion = Schema<'ManifestVersionView'>;

const pollMs = 15_000;

const listAdapters = async (signal: AbortSignal): Promise<Adapter[]> =>
  (await answer(api.GET('/api/v1/adapters', { signal }))).data;

export const useAdapters = () => useProjectQuery(['adapters', 'all'], listAdapters, { refetchInterval: pollMs });

export const useAdapter = (id: string) =>
  useProjectQuery(
    ['adapters', id],
    (signal) => answer(api.GET('/api/v1/adapters/{id}', { params: { path: { id } }, signal })),
    { refetchInterval: pollMs },
  );

/** Newest first. */
export const useVersions = (id: string) =>
  useProjectQuery(
    ['adapters', id, 'versions'],
    async (signal) => {
      const { data } = await answer(api.GET('/api/v1/adapters/{id}/versions', { params: { path: { id } }, signal }));
      return data.toSorted((a, b) => b.number - a.number);
    },
    { refetchInterval: pollMs },
  );

/** A change, after which everything of adapters and their Apps is refetched. */
export function useAdapterMutation<Sent, Answered>(change: (sent: Sent) => Promise<Answered>) {
  return useMutation({ mutationFn: change, onSuccess: useRefresh('adapters', 'apps') });
}
