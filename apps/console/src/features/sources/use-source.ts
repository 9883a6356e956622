import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';

export type Source = Schema<'SourceView'>;
export type SyncRun = Schema<'SyncRunView'>;

export const busyMs = 2_000;
export const quietMs = 30_000;

export const useSource = (id: string) =>
  useProjectQuery(
    ['sources', id],
    (signal) => answer(api.GET('/api/v1/sources/{id}', { params: { path: { id } }, signal })),
    { refetchInterval: quietMs },
  );

export const isInFlight = (run: SyncRun | null | undefined): boolean =>
  run?.state === 'queued' || run?.state === 'running';

/** The newest sync; null: there was none. @param busy refetches soon, while one is in progress */
export const useLastRun = (id: string, busy = false) =>
  useProjectQuery(
    ['sources', id, 'last-run'],
    async (signal) => {
      const params = { path: { id }, query: { limit: 1 } };
      const { data } = await answer(api.GET('/api/v1/sources/{id}/runs', { params, signal }));
      return data[0] ?? null;
    },
    { refetchInterval: busy ? busyMs : quietMs },
  );

/**
 * Refetches everything of a source when a sync begins and ends, also one that did both since the last look.
 * @param run the newest sync; undefined while it loads
 */
export function useFollowSyncs(id: string, run: SyncRun | null | undefined): void {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const now = run === undefined ? undefined : `${run?.id} ${run?.state}`;
  const seen = useRef(now);
  useEffect(() => {
    const before = seen.current;
    seen.current = now;
    if (before === undefined || before === now) return;
    void queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['sources', id]) });
  }, [now]);
}

export function useSourceMutation<Sent, Answered>(change: (sent: Sent) => Promise<Answered>) {
  return useMutation({ mutationFn: change, onSuccess: useRefresh('sources') });
}
