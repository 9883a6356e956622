import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { projectKey, useProjectId } from './project-query.js';
import { sessionQuery } from './session.js';

/** Refetches everything under these keys that is shown: `useRefresh('apps', 'adapters')`. */
export function useRefresh(...keys: readonly string[]): () => Promise<unknown> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  return () =>
    Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: projectKey(projectId, [key]) })));
}

/** A change. Afterwards everything under these keys is refetched: `useChange(archive, 'apps')`. */
export function useChange<Input = void, Data = unknown>(
  change: (input: Input) => Promise<Data>,
  ...touched: string[]
): UseMutationResult<Data, Error, Input> {
  // Also after a refusal: what is shown may be the reason for it.
  return useMutation({ mutationFn: change, onSettled: useRefresh(...touched) });
}

/** A change to what the session contains: every page reads the names of organizations and projects from it. */
export function useSessionChange<Input = void, Data = unknown>(
  change: (input: Input) => Promise<Data>,
): UseMutationResult<Data, Error, Input> {
  const queryClient = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => queryClient.invalidateQueries(sessionQuery) });
}
