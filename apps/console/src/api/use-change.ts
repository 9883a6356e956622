import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { projectKey, useProjectId } from './project-query.js';

/** A change. Afterwards everything under these keys is refetched: `useChange(archive, ['apps'])`. */
export function useChange<Input = void, Data = unknown>(
  change: (input: Input) => Promise<Data>,
  ...touched: string[]
): UseMutationResult<Data, Error, Input> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  return useMutation({
    mutationFn: change,
    // Also after a refusal: what is shown may be the reason for it.
    onSettled: () =>
      Promise.all(touched.map((key) => queryClient.invalidateQueries({ queryKey: projectKey(projectId, [key]) }))),
  });
}
